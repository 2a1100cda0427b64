// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Feeds files to a fuzz harness one by one, without libFuzzer: what a fuzzer found once is run in
// every build. Arguments are files and folders; no file at all is an error, so that a renamed
// folder does not turn the test into nothing.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    const fs::path path = argv[i];
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    std::cerr << "replay: no files given\n";
    return 2;
  }
  for (const fs::path& path : files) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
      std::cerr << "replay: cannot read " << path << '\n';
      return 2;
    }
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    // Said before the run: after a crash, the last line names the file.
    std::cout << path.string() << std::endl;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::cout << files.size() << " files replayed\n";
}
