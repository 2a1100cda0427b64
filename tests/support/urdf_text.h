// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small URDFs out of their elements.
#pragma once

#include <string>

namespace clearance::test {

inline std::string link_text(const std::string& name, const std::string& shapes = "") {
  return "<link name=\"" + name + "\">" + shapes + "</link>";
}
inline std::string shape_text(const std::string& geometry, const std::string& xyz = "0 0 0") {
  return "<collision><origin xyz=\"" + xyz + "\" rpy=\"0 0 0\"/><geometry>" + geometry +
         "</geometry></collision>";
}
inline std::string joint_text(const std::string& name, const std::string& type,
                              const std::string& parent, const std::string& child,
                              const std::string& more = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/><origin xyz=\"1 0 0\" rpy=\"0 0 0\"/>" + more +
         "</joint>";
}
inline const std::string kTurn =
    R"(<axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="1" velocity="1"/>)";
inline const std::string kBall = shape_text(R"(<sphere radius="0.1"/>)");

inline std::string robot_text(const std::string& inside) {
  return "<robot name=\"r\">" + inside + "</robot>";
}

}  // namespace clearance::test
