// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The module libclearance_step: reads STEP with OpenCASCADE, tessellates every distinct shape once
// and lists where it is used. OpenCASCADE works in millimetres here, whatever the file's unit,
// since its tolerances (1e-7) are made for them; lengths become metres on the way out.
#include "mesh/step_module.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <map>
#include <set>
#include <span>
#include <spanstream>
#include <string>
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

namespace clearance::detail {
namespace {

constexpr double kMetresPerMillimetre = 1e-3;
/// The smallest deflection OpenCASCADE accepts [mm].
constexpr double kSmallestDeflection = 1e-6;
/// Sub-assemblies nest less than this; a file that says otherwise contains itself.
constexpr int kDeepestAssembly = 256;

/// What ends the work early.
struct Stop {
  Error error;
};
[[noreturn]] void stop(ErrorCode code, std::string place, std::string reason, std::string advice) {
  throw Stop{{code, "", std::move(place), std::move(reason), std::move(advice)}};
}

/// Carries progress to our caller, and the wish to stop to OpenCASCADE.
class Progress : public Message_ProgressIndicator {
 public:
  Progress(Monitor* monitor, const char* stage) : monitor_(monitor), stage_(stage) {}
  Standard_Boolean UserBreak() override { return is_cancelled(monitor_); }
  void Show(const Message_ProgressScope&, const Standard_Boolean) override {
    report_progress(monitor_, stage_, GetPosition());
  }

 private:
  Monitor* monitor_;
  const char* stage_;
};

void check_cancelled(const Monitor* monitor) {
  if (is_cancelled(monitor)) stop(ErrorCode::Cancelled, "", "reading was cancelled", "");
}

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
    if (const auto both = Handle(
            StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx)::DownCast(entity)) {
      context = both->GlobalUnitAssignedContext();
    } else if (const auto plain =
                   Handle(StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext)::
                       DownCast(entity)) {
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
  Reader(const StepRequest& request, StepReply& reply) : request_(request), reply_(reply) {}

  void read() {
    silence();
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

    report_progress(request_.monitor, "reading STEP", -1.0);
    std::ispanstream stream(std::span(request_.bytes.data(), request_.bytes.size()));
    if (reader.ChangeReader().ReadStream("file", stream) != IFSelect_RetDone) {
      stop(ErrorCode::Malformed, "", "OpenCASCADE cannot read it as STEP", "");
    }
    settle_units(declared_units(reader.ChangeReader()));

    check_cancelled(request_.monitor);
    const Handle(Progress) progress = new Progress(request_.monitor, "building shapes");
    Handle(TDocStd_Document) document = new TDocStd_Document("BinXCAF");
    const bool transferred = reader.Transfer(document, progress->Start());
    check_cancelled(request_.monitor);
    if (!transferred) {
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
  /// OpenCASCADE talks on stdout by default. The library never does.
  static void silence() {
    for (const auto& messenger : {Message::DefaultMessenger()}) {
      messenger->ChangePrinters().Clear();
    }
  }

  void settle_units(const std::set<double>& units) {
    double declared = kMetresPerMillimetre;
    if (units.empty()) {
      reply_.warnings.emplace_back(
          "The file declares no unit of length; millimetres are assumed, as CAD systems do.");
    } else {
      declared = *units.begin();
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
    reply_.declared_metres_per_unit = declared;
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
    if (reply_.instances.size() >= kMostStepInstances) {
      stop(ErrorCode::Unsupported, "",
           "the assembly unfolds to more than " + std::to_string(kMostStepInstances) + " parts",
           "split the file");
    }
    // Shapes that differ by their place only share their surface.
    const auto key = std::pair(static_cast<const void*>(shape.TShape().get()), shape.Orientation());
    const auto [known, is_new] =
        shapes_.try_emplace(key, static_cast<std::uint32_t>(reply_.shapes.size()));
    if (is_new) {
      check_cancelled(request_.monitor);
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
    // One thread: OpenCASCADE has a global pool, and the number of threads is our caller's.
    IMeshTools_Parameters parameters;
    parameters.Deflection = std::max(request_.deflection / metres_, kSmallestDeflection);
    parameters.Angle = request_.angle;
    parameters.InParallel = false;
    const Handle(Progress) progress = new Progress(request_.monitor, "tessellating");
    const BRepMesh_IncrementalMesh mesher(shape, parameters, progress->Start());
    check_cancelled(request_.monitor);

    StepShape result;
    int face_index = 0;
    for (TopExp_Explorer it(shape, TopAbs_FACE); it.More(); it.Next(), ++face_index) {
      const TopoDS_Face& face = TopoDS::Face(it.Current());
      TopLoc_Location shape_from_face;
      const Handle(Poly_Triangulation)& triangles = BRep_Tool::Triangulation(face, shape_from_face);
      if (triangles.IsNull()) {
        require_negligible(face, face_index, name, parameters.Deflection);
        continue;
      }
      append(*triangles, shape_from_face.Transformation(), face.Orientation() == TopAbs_REVERSED,
             result);
    }
    if (result.faces.empty()) {
      stop(ErrorCode::Unsupported, "part '" + name + "'", "OpenCASCADE cannot tessellate it",
           "repair it in the CAD system, or export it as STL");
    }
    return result;
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
  StepReply& reply_;
  Handle(XCAFDoc_ShapeTool) shape_tool_;
  double metres_ = kMetresPerMillimetre;  ///< length of OpenCASCADE's unit
  std::map<std::pair<const void*, TopAbs_Orientation>, std::uint32_t> shapes_;
  std::size_t without_faces_ = 0;
};

}  // namespace
}  // namespace clearance::detail

extern "C" {

__attribute__((visibility("default"))) int clearance_step_interface() {
  return clearance::detail::kStepInterface;
}

__attribute__((visibility("default"))) void clearance_step_read(
    const clearance::detail::StepRequest& request, clearance::detail::StepReply& reply) {
  using clearance::Error;
  using clearance::ErrorCode;
  const auto failed = [](const char* reason) {
    return Error{ErrorCode::Malformed, "", "",
                 std::string("OpenCASCADE cannot read it") + (*reason != '\0' ? ": " : "") + reason,
                 ""};
  };
  try {
    clearance::detail::Reader(request, reply).read();
  } catch (const clearance::detail::Stop& stop) {
    reply.error = stop.error;
  } catch (const Standard_Failure& failure) {
    const char* message = failure.GetMessageString();
    reply.error = failed(message != nullptr ? message : "");
  } catch (const std::exception& exception) {
    reply.error = failed(exception.what());
  } catch (...) {
    reply.error = failed("");
  }
}

}  // extern "C"
