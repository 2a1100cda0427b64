// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several searches side by side, in rounds of counted operations. Each does what it would do alone,
// so the winner (the first in the list among those that found a proven way in the first round in
// which one did) is the same for any number of threads; those behind it are stopped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clearance/plan/plan.h>

#include "plan/flood.h"
#include "plan/mend.h"
#include "plan/search.h"

namespace clearance::detail {

struct PortfolioResult {
  PlanStatus status = PlanStatus::OutOfBudget;
  ProvenWay way;  ///< when found
  std::string method;
  double resolution = 0.0;  ///< [m]; no path keeps this beyond the clearance. 0: not known
  Place closest;            ///< when not found
  std::size_t nodes = 0;
  std::uint64_t operations = 0;
};

[[nodiscard]] PortfolioResult run_portfolio(const PlanProblem& problem, const PlanOptions& options);

}  // namespace clearance::detail
