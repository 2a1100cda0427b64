// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program clearance-step: takes a STEP file over its standard input, tessellates every distinct
// shape once and answers with shapes and where they are used (step_protocol.h). OpenCASCADE works
// in millimetres here, whatever the file's unit, since its tolerances (1e-7) are made for them;
// lengths become metres on the way out.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <exception>
#include <istream>
#include <map>
#include <optional>
#include <set>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

#include <BRepBndLib.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <Interface_Static.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_ProgressIndicator.hxx>
#include <Poly_Triangulation.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <STEPConstruct_UnitContext.hxx>
#include <STEPControl_Reader.hxx>
#include <Standard_Failure.hxx>
#include <StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx.hxx>
#include <StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext.hxx>
#include <StepRepr_GlobalUnitAssignedContext.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>
#include <TopoDS_Shape.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_WorkSession.hxx>
#include <gp_Trsf.hxx>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mesh/step_protocol.h"

namespace clearance::detail {
namespace {

constexpr double kMetresPerMillimetre = 1e-3;
/// The smallest deflection OpenCASCADE accepts [mm].
constexpr double kSmallestDeflection = 1e-6;
/// Sub-assemblies nest less than this; a file that says otherwise contains itself.
constexpr int kDeepestAssembly = 256;

/// Most instances of shapes in one file, instances of sub-assemblies unfolded.
constexpr std::size_t kMostInstances = 1'000'000;
/// Processor time [s] for any file and for each megabyte of it. Chosen generously, not measured.
constexpr std::size_t kMostSeconds = 300;
constexpr std::size_t kMostSecondsPerMegabyte = 60;
/// Memory for any file and for each byte of it. Chosen generously, not measured.
constexpr std::size_t kMostBytes = std::size_t{4} << 30;
constexpr std::size_t kMostBytesPerByte = 2000;
/// Sanitizers map terabytes: under them memory has no limit here.
#if defined(CLEARANCE_SANITIZED)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

/// What ends the work early.
struct Stop {
  Error error;
};
[[noreturn]] void stop(ErrorCode code, std::string place, std::string reason, std::string advice) {
  throw Stop{{code, "", std::move(place), std::move(reason), std::move(advice)}};
}

/// To the library, which may have gone: then there is nobody to tell.
void send_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(STDIN_FILENO, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// The file, which is in memory already, as the stream OpenCASCADE reads.
class MemoryBuffer : public std::streambuf {
 public:
  explicit MemoryBuffer(std::string_view bytes) {
    // A stream buffer for reading takes pointers it could write through; this one never does.
    char* begin = const_cast<char*>(bytes.data());
    setg(begin, begin, begin + bytes.size());
  }
};

/// Carries progress to the library, in whole percents.
class Progress : public Message_ProgressIndicator {
 public:
  explicit Progress(const char* stage) : stage_(stage) {}
  void Show(const Message_ProgressScope&, const Standard_Boolean) override {
    const int percent = static_cast<int>(100.0 * GetPosition());
    if (percent == percent_) return;
    percent_ = percent;
    send_all(encode(StepProgress{stage_, 0.01 * percent}));
  }

 private:
  const char* stage_;
  int percent_ = -1;
};

std::string name_of(const TDF_Label& label) {
  Handle(TDataStd_Name) attribute;
  if (!label.FindAttribute(TDataStd_Name::GetID(), attribute)) return {};
  const TCollection_ExtendedString& text = attribute->Get();
  std::string name(static_cast<std::size_t>(text.LengthOfCString()), '\0');
  Standard_PCharacter buffer = name.data();
  text.ToUTF8CString(buffer);
  return name;
}

/// The lengths [m] of all units the file's geometry may be in.
std::set<double> declared_units(const STEPControl_Reader& reader) {
  std::set<double> units;
  const Handle(Interface_InterfaceModel) model = reader.WS()->Model();
  for (Standard_Integer i = 1; i <= model->NbEntities(); ++i) {
    const Handle(Standard_Transient) entity = model->Value(i);
    Handle(StepRepr_GlobalUnitAssignedContext) context;
    // Two types without a common base that has the units.
    if (const auto with_uncertainty = Handle(
            StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx)::DownCast(entity)) {
      context = with_uncertainty->GlobalUnitAssignedContext();
    }
    if (const auto plain =
            Handle(StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext)::DownCast(
                entity)) {
      context = plain->GlobalUnitAssignedContext();
    }
    if (context.IsNull() || context->Units().IsNull()) continue;
    STEPConstruct_UnitContext factors;
    factors.ComputeFactors(context);
    if (factors.LengthDone()) units.insert(kMetresPerMillimetre * factors.LengthFactor());
  }
  return units;
}

class Reader {
 public:
  Reader(const StepRequest& request, std::string_view bytes, StepReply& reply)
      : request_(request), bytes_(bytes), reply_(reply) {}

  void read() {
    Message::DefaultMessenger()->ChangePrinters().Clear();
    STEPCAFControl_Reader reader;
    // Colours, layers and the like do not touch; leaving them out saves time.
    reader.SetColorMode(false);
    reader.SetLayerMode(false);
    reader.SetPropsMode(false);
    reader.SetGDTMode(false);
    reader.SetMatMode(false);
    reader.SetViewMode(false);
    reader.SetNameMode(true);
    Interface_Static::SetCVal("xstep.cascade.unit", "MM");

    send_all(encode(StepProgress{"reading STEP", -1.0}));
    MemoryBuffer buffer(bytes_);
    std::istream stream(&buffer);
    if (reader.ChangeReader().ReadStream("file", stream) != IFSelect_RetDone) {
      stop(ErrorCode::Malformed, "", "OpenCASCADE cannot read it as STEP", "");
    }
    settle_units(declared_units(reader.ChangeReader()));

    const Handle(Progress) progress = new Progress("building shapes");
    Handle(TDocStd_Document) document = new TDocStd_Document("BinXCAF");
    if (!reader.Transfer(document, progress->Start())) {
      stop(ErrorCode::Malformed, "", "holds no shape OpenCASCADE can build", "");
    }

    shape_tool_ = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    TDF_LabelSequence roots;
    shape_tool_->GetFreeShapes(roots);
    for (TDF_LabelSequence::Iterator it(roots); it.More(); it.Next()) {
      visit(it.Value(), TopLoc_Location(), "", 0);
    }
    if (without_faces_ > 0) {
      reply_.warnings.push_back(std::to_string(without_faces_) +
                                " shapes without faces (curves, points) are ignored.");
    }
  }

 private:
  void settle_units(const std::set<double>& units) {
    double declared = kMetresPerMillimetre;
    if (units.empty()) {
      reply_.warnings.emplace_back(
          "The file declares no unit of length; millimetres are assumed, as CAD systems do.");
    } else {
      declared = *units.begin();
      reply_.declared_metres_per_unit = declared;
    }
    if (units.size() > 1) {
      reply_.warnings.emplace_back(
          "The file uses several units of length; each shape is taken in its own.");
      if (request_.metres_per_unit) {
        stop(ErrorCode::Invalid, "",
             "the file uses several units of length, so one cannot be given",
             "read it with the units it declares");
      }
    }
    metres_ = kMetresPerMillimetre;
    if (request_.metres_per_unit) metres_ *= *request_.metres_per_unit / declared;
  }

  void visit(const TDF_Label& label, const TopLoc_Location& world_from_parent,
             const std::string& instance_name, int depth) {
    if (depth > kDeepestAssembly) {
      stop(ErrorCode::Malformed, "", "an assembly contains itself, or nests too deeply", "");
    }
    if (XCAFDoc_ShapeTool::IsReference(label)) {
      TDF_Label target;
      XCAFDoc_ShapeTool::GetReferredShape(label, target);
      visit(target, world_from_parent * XCAFDoc_ShapeTool::GetLocation(label), name_of(label),
            depth + 1);
      return;
    }
    if (XCAFDoc_ShapeTool::IsAssembly(label)) {
      TDF_LabelSequence components;
      XCAFDoc_ShapeTool::GetComponents(label, components);
      for (TDF_LabelSequence::Iterator it(components); it.More(); it.Next()) {
        visit(it.Value(), world_from_parent, "", depth + 1);
      }
      return;
    }
    // The product's name says what it is; that of the instance is often a number.
    std::string name = name_of(label);
    if (name.empty()) name = instance_name;
    place(XCAFDoc_ShapeTool::GetShape(label), world_from_parent, std::move(name));
  }

  void place(const TopoDS_Shape& shape, const TopLoc_Location& world_from_parent,
             std::string name) {
    if (shape.IsNull() || !TopExp_Explorer(shape, TopAbs_FACE).More()) {
      ++without_faces_;
      return;
    }
    if (reply_.instances.size() >= kMostInstances) {
      stop(ErrorCode::Unsupported, "",
           "the assembly unfolds to more than " + std::to_string(kMostInstances) + " parts",
           "split the file");
    }
    // Shapes that differ by their place only share their surface.
    const auto key = std::pair(static_cast<const void*>(shape.TShape().get()), shape.Orientation());
    const auto [known, is_new] =
        shapes_.try_emplace(key, static_cast<std::uint32_t>(reply_.shapes.size()));
    if (is_new) {
      reply_.shapes.push_back(tessellated(shape.Located(TopLoc_Location()), name));
    }
    StepInstance instance;
    instance.name = std::move(name);
    instance.shape = known->second;
    const gp_Trsf map = (world_from_parent * shape.Location()).Transformation();
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) {
        instance.linear[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] =
            map.Value(row + 1, column + 1);
      }
      instance.translation[static_cast<std::size_t>(row)] = metres_ * map.Value(row + 1, 4);
    }
    reply_.instances.push_back(std::move(instance));
  }

  StepShape tessellated(const TopoDS_Shape& shape, const std::string& name) const {
    // One thread: neighbouring faces share edges, and the same input must give the same bits.
    IMeshTools_Parameters parameters;
    parameters.Deflection = std::max(request_.deflection / metres_, kSmallestDeflection);
    parameters.Angle = request_.angle;
    parameters.InParallel = false;
    const Handle(Progress) progress = new Progress("tessellating");
    const BRepMesh_IncrementalMesh mesher(shape, parameters, progress->Start());

    StepShape result;
    int face_index = 0;
    for (TopExp_Explorer it(shape, TopAbs_FACE); it.More(); it.Next(), ++face_index) {
      const TopoDS_Face& face = TopoDS::Face(it.Current());
      TopLoc_Location shape_from_face;
      const Handle(Poly_Triangulation)& triangles = BRep_Tool::Triangulation(face, shape_from_face);
      const std::size_t before = result.faces.size();
      if (!triangles.IsNull()) {
        append(*triangles, shape_from_face.Transformation(), face.Orientation() == TopAbs_REVERSED,
               result);
      }
      if (result.faces.size() == before) {
        require_negligible(face, face_index, name, parameters.Deflection);
      }
    }
    if (result.faces.empty()) {
      stop(ErrorCode::Unsupported, "part '" + name + "'", "OpenCASCADE cannot tessellate it",
           "repair it in the CAD system, or export it as STL");
    }
    result.is_closed = is_closed(shape);
    return result;
  }

  /// Whether every face belongs to a shell without border.
  static bool is_closed(const TopoDS_Shape& shape) {
    if (TopExp_Explorer(shape, TopAbs_FACE, TopAbs_SHELL).More()) return false;
    for (TopExp_Explorer it(shape, TopAbs_SHELL); it.More(); it.Next()) {
      if (!BRep_Tool::IsClosed(it.Current())) return false;
    }
    return true;
  }

  /// A face without triangles is a hole, and what passes through it would count as free. Only faces
  /// smaller than the deflection may be left out.
  static void require_negligible(const TopoDS_Face& face, int index, const std::string& name,
                                 double deflection) {
    Bnd_Box box;
    BRepBndLib::AddOptimal(face, box, false, false);
    if (box.IsVoid() || std::sqrt(box.SquareExtent()) <= deflection) return;
    stop(ErrorCode::Unsupported, "part '" + name + "', face " + std::to_string(index),
         "OpenCASCADE cannot tessellate this face",
         "repair it in the CAD system, export it as STL, or try another deflection");
  }

  void append(const Poly_Triangulation& triangles, const gp_Trsf& shape_from_face, bool is_reversed,
              StepShape& result) const {
    const auto first = static_cast<std::uint32_t>(result.vertices.size());
    for (Standard_Integer i = 1; i <= triangles.NbNodes(); ++i) {
      const gp_Pnt p = triangles.Node(i).Transformed(shape_from_face);
      result.vertices.push_back({metres_ * p.X(), metres_ * p.Y(), metres_ * p.Z()});
    }
    // A mirroring location turns the triangles round once more.
    const bool flips = is_reversed != shape_from_face.IsNegative();
    for (Standard_Integer i = 1; i <= triangles.NbTriangles(); ++i) {
      Standard_Integer a = 0;
      Standard_Integer b = 0;
      Standard_Integer c = 0;
      triangles.Triangle(i).Get(a, b, c);
      if (flips) std::swap(b, c);
      const auto vertex = [&](Standard_Integer node) {
        return first + static_cast<std::uint32_t>(node - 1);
      };
      // At a pole or a seam two corners may coincide; such triangles are ours, not the file's.
      const Vec3& p = result.vertices[vertex(a)];
      const Vec3& q = result.vertices[vertex(b)];
      const Vec3& r = result.vertices[vertex(c)];
      if (p == q || q == r || r == p) continue;
      result.faces.push_back({vertex(a), vertex(b), vertex(c)});
    }
  }

  const StepRequest& request_;
  std::string_view bytes_;
  StepReply& reply_;
  Handle(XCAFDoc_ShapeTool) shape_tool_;
  double metres_ = kMetresPerMillimetre;  ///< length of OpenCASCADE's unit
  std::map<std::pair<const void*, TopAbs_Orientation>, std::uint32_t> shapes_;
  std::size_t without_faces_ = 0;
};

StepReply read_step_file(const StepRequest& request, std::string_view bytes) {
  const auto failed = [](const char* reason) {
    StepReply reply;
    reply.error = Error{
        ErrorCode::Malformed, "", "",
        std::string("OpenCASCADE cannot read it") + (*reason != '\0' ? ": " : "") + reason, ""};
    return reply;
  };
  try {
    StepReply reply;
    Reader(request, bytes, reply).read();
    return reply;
  } catch (const Stop& stop) {
    StepReply reply;
    reply.error = stop.error;
    return reply;
  } catch (const Standard_Failure& failure) {
    const char* message = failure.GetMessageString();
    return failed(message != nullptr ? message : "");
  } catch (const std::exception& exception) {
    return failed(exception.what());
  } catch (...) {
    return failed("");
  }
}

/// Bounds what a hostile file can cost. A crash leaves no core file behind.
void set_limits(std::size_t file_size) {
  const auto limit = [](auto resource, std::size_t soft, std::size_t hard) {
    const rlimit value{soft, hard};
    setrlimit(resource, &value);
  };
  limit(RLIMIT_CORE, 0, 0);
  // The soft limit ends us by a signal that tells why; the hard one would not.
  const std::size_t seconds = kMostSeconds + kMostSecondsPerMegabyte * (file_size >> 20);
  limit(RLIMIT_CPU, seconds, seconds + 5);
  const std::size_t bytes = kMostBytes + kMostBytesPerByte * file_size;
  if (!kIsSanitized) limit(RLIMIT_DATA, bytes, bytes);
}

}  // namespace
}  // namespace clearance::detail

int main() {
  using namespace clearance::detail;
  std::string input;
  std::array<char, 65536> block{};
  for (ssize_t count = 0; (count = read(STDIN_FILENO, block.data(), block.size())) > 0;) {
    input.append(block.data(), static_cast<std::size_t>(count));
  }
  std::string_view bytes = input;
  const std::optional<StepRequest> request = decode_request(bytes);
  if (!request) {
    const char* usage = "clearance-step is run by libclearance to read STEP files.\n";
    return write(STDERR_FILENO, usage, std::strlen(usage)) > 0 ? 2 : 3;
  }
  set_limits(bytes.size());
  send_all(encode(read_step_file(*request, bytes)));
  // Without clearing up: the answer is sent, and nothing after it matters.
  _exit(0);
}
