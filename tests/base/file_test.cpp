// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <clearance/base/file.h>

#include "support/data.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::string contents(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  EXPECT_TRUE(file) << file.error().message();
  return file ? std::string(file->text()) : std::string();
}

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(MappedFile, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  ASSERT_TRUE(write_file(path, "hello").ok());
  EXPECT_EQ(contents(path), "hello");
  EXPECT_EQ(MappedFile::open(path)->bytes().size(), 5u);
}

TEST(MappedFile, EmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.file("empty"), "").ok());
  EXPECT_EQ(contents(folder.file("empty")), "");
}

TEST(MappedFile, RefusesMissingFilesDirectoriesDevices) {
  const TemporaryFolder folder;
  EXPECT_EQ(MappedFile::open(folder.file("none")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(MappedFile::open(folder.path().string()).error().reason, "is a directory, not a file");
  EXPECT_EQ(MappedFile::open("/dev/null").error().reason, "is not a regular file");
  // A pipe nobody writes to must not hang.
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(MappedFile::open(folder.file("pipe")).ok());
}

TEST(MappedFile, MovesAndSwaps) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.file("a"), "aaa").ok());
  ASSERT_TRUE(write_file(folder.file("b"), "b").ok());
  MappedFile a = MappedFile::open(folder.file("a")).value();
  MappedFile b = MappedFile::open(folder.file("b")).value();
  MappedFile c = std::move(a);
  EXPECT_EQ(c.text(), "aaa");
  c = std::move(b);
  EXPECT_EQ(c.text(), "b");
}

TEST(AtomicFile, NothingIsThereBeforeCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  Result<AtomicFile> file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  file->write("half");
  EXPECT_FALSE(fs::exists(path));
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(contents(path), "half");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  ASSERT_TRUE(write_file(path, "old").ok());
  {
    Result<AtomicFile> file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    file->write("new");
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(AtomicFile, LargeAndSmallWritesKeepTheirOrder) {
  const TemporaryFolder folder;
  std::string expected;
  Result<AtomicFile> file = AtomicFile::create(folder.file("out"));
  ASSERT_TRUE(file);
  for (const std::size_t size : {10u, 3000000u, 1u, 1048575u, 1048576u, 0u, 7u}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    file->write(piece);
    expected += piece;
  }
  ASSERT_TRUE(file->commit().ok());
  EXPECT_TRUE(contents(folder.file("out")) == expected);
}

TEST(AtomicFile, NewFilesFollowTheMaskAndOldOnesKeepTheirMode) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  const mode_t mask = ::umask(027);
  ASSERT_TRUE(write_file(path, "1").ok());
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  ASSERT_TRUE(write_file(path, "2").ok());
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(AtomicFile, SymbolicLinkStaysALink) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.file("target"), "old").ok());
  fs::create_symlink(folder.file("target"), folder.file("link"));
  ASSERT_TRUE(write_file(folder.file("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(contents(folder.file("target")), "new");
}

TEST(AtomicFile, DevicesAreWrittenToAndNotReplaced) {
  ASSERT_TRUE(write_file("/dev/null", "gone").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  // A full disk shows at commit.
  const Status full = write_file("/dev/full", "no room");
  ASSERT_FALSE(full.ok());
  EXPECT_NE(full.error().reason.find("No space left"), std::string::npos);
}

TEST(AtomicFile, RefusesDirectoriesAndMissingFolders) {
  const TemporaryFolder folder;
  EXPECT_EQ(AtomicFile::create(folder.path().string()).error().reason,
            "is a directory, not a file");
  const Result<AtomicFile> missing = AtomicFile::create(folder.file("no/such/folder/out"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_EQ(missing.error().file, folder.file("no/such/folder/out"));
  EXPECT_EQ(files_in(folder), 0u);
}

}  // namespace
}  // namespace clearance
