// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include <clearance/picture/plot.h>
#include <clearance/picture/xml_text.h>

namespace clearance {
namespace {

// Okabe and Ito's colours without the yellow, which is lost on white; a grey and a brown.
constexpr std::array kPalette{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                              "#56b4e9", "#222222", "#888888", "#8c5a2b"};
constexpr const char* kInk = "#222222";
constexpr const char* kFaintInk = "#555555";
constexpr const char* kGrid = "#e3e3e3";
constexpr const char* kMinorGrid = "#f1f1f1";

constexpr double kTitleSize = 16.0;
constexpr double kTextSize = 12.0;
constexpr double kMargin = 14.0;
constexpr double kTickLength = 5.0;
constexpr double kLegendSwatch = 22.0;
constexpr double kLegendLine = 20.0;
constexpr double kMark = 4.0;  // half the width of a mark
/// Mean width of a character over the size of the font. There is no font here to ask; a little too
/// wide is harmless.
constexpr double kCharacterWidth = 0.56;

std::string fixed(double value, int decimals) {
  char buffer[400];  // the longest double has 309 digits before the point
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
  std::string text(buffer, end.ptr);
  if (text.find_first_not_of("-0.") == std::string::npos && text.starts_with('-')) text.erase(0, 1);
  return text;
}

std::string coordinate(double value) { return fixed(value, 2); }

double text_width(std::string_view text, double size) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  });
  return static_cast<double>(characters) * size * kCharacterWidth;
}

/// 12345.5 with three digits or more: "12,346", "0.0123", and "1.23e-7" where that is shorter.
std::string short_number(double value) {
  if (value == 0.0) return "0";
  const double size = std::abs(value);
  if (size >= 1e7 || size < 1e-4) {
    char buffer[32];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 3);
    return {buffer, end.ptr};
  }
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 6);
  std::string text = fixed(value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t i = point; i > first + 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

/// 10 to a whole power, as people write it beyond a million and below a thousandth.
std::string power_label(int exponent) {
  if (exponent >= -3 && exponent <= 6) return short_number(std::pow(10.0, exponent));
  static constexpr std::array kRaised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent)))
    text += kRaised[static_cast<std::size_t>(digit - '0')];
  return text;
}

struct Tick {
  double value = 0.0;
  std::string label;  ///< empty: a minor tick
};

/// An axis with its ends fixed: from values to pixels.
struct Axis {
  bool log = false;
  double low = 0.0;
  double high = 1.0;
  double from = 0.0;  ///< pixel of low
  double to = 1.0;    ///< pixel of high
  std::vector<Tick> ticks;

  [[nodiscard]] bool drawable(double value) const {
    return std::isfinite(value) && (!log || value > 0.0);
  }
  /// Drawable and between the ends, up to rounding.
  [[nodiscard]] bool shows(double value) const {
    if (!drawable(value)) return false;
    const double slack = 1e-9 * (high - low);
    return log ? value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9)
               : value >= low - slack && value <= high + slack;
  }
  /// Not beyond the ends.
  [[nodiscard]] double pixel(double value) const {
    const double t =
        log ? (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low))
            : (value - low) / (high - low);
    return from + std::clamp(t, 0.0, 1.0) * (to - from);
  }
};

/// The largest of 1, 2, 5 times a power of ten that is at most `value` (or, going up, the least
/// that is at least that).
double round_to_125(double value, bool up) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  constexpr double kSlack =
      1e-9;  // relative: 1000 is a round number though its logarithm may not be
  const std::array<double, 4> steps{1.0, 2.0, 5.0, 10.0};
  double best = up ? 10.0 * power : power;
  for (const double step : steps) {
    const double candidate = step * power;
    if (up && candidate >= value * (1.0 - kSlack)) return candidate;
    if (!up && candidate <= value * (1.0 + kSlack)) best = candidate;
  }
  return best;
}

void add_linear_ticks(Axis& axis) {
  constexpr double kWanted = 6.0;
  const double step = round_to_125((axis.high - axis.low) / kWanted, true);
  const double first = std::ceil(axis.low / step - 1e-9);
  const double last = std::floor(axis.high / step + 1e-9);
  for (double i = first; i <= last; i += 1.0)
    axis.ticks.push_back({i * step, short_number(i * step)});
}

void add_log_ticks(Axis& axis) {
  const double decades = std::log10(axis.high) - std::log10(axis.low);
  const int first = static_cast<int>(std::floor(std::log10(axis.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high) - 1e-9));
  // Labels at every power, or where there are many, at every second, third, ...; within the powers
  // at 2 and 5 where there are few.
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / 9.0)));
  const bool label_2_and_5 = decades <= 2.0;
  const bool minor = stride == 1;
  for (int exponent = first; exponent <= last; ++exponent) {
    const double power = std::pow(10.0, exponent);
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * power;
      if (value < axis.low * (1.0 - 1e-9) || value > axis.high * (1.0 + 1e-9)) continue;
      if (digit == 1 && (exponent - first) % stride == 0) {
        axis.ticks.push_back({value, power_label(exponent)});
      } else if (label_2_and_5 && (digit == 2 || digit == 5)) {
        axis.ticks.push_back({value, short_number(value)});
      } else if (minor) {
        axis.ticks.push_back({value, ""});
      }
    }
  }
}

/// Chooses the ends of an axis for the values on it; `bars` start at zero.
Axis make_axis(const PlotAxis& wanted, const std::vector<double>& values, bool bars) {
  Axis axis;
  axis.log = wanted.scale == AxisScale::Log;
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const double value : values) {
    if (!axis.drawable(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const auto given = [&](const std::optional<double>& end) { return end && axis.drawable(*end); };
  if (given(wanted.low)) least = *wanted.low;
  if (given(wanted.high)) most = *wanted.high;
  if (given(wanted.low) && given(wanted.high) && !(least < most)) {
    PlotAxis free = wanted;
    free.low.reset();
    free.high.reset();
    return make_axis(free, values, bars);
  }
  if (!(least <= most)) {  // nothing to draw, or an end on the wrong side of it
    least = given(wanted.low) ? *wanted.low : given(wanted.high) ? 0.1 * *wanted.high : 1.0;
    most = given(wanted.high) ? *wanted.high : 10.0 * std::abs(least);
    if (!(least < most)) most = least + 1.0;
  }
  if (axis.log) {
    // A bar of the least value is still seen.
    constexpr double kLeastBar = 1.5;
    axis.low = given(wanted.low) ? least : round_to_125(bars ? least / kLeastBar : least, false);
    axis.high = given(wanted.high) ? most : round_to_125(most, true);
    if (!(axis.low < axis.high)) {
      axis.low = given(wanted.low) ? axis.low : axis.low / 2.0;
      axis.high = axis.low * 10.0;
    }
    add_log_ticks(axis);
  } else {
    if (bars) {
      least = std::min(least, 0.0);
      most = std::max(most, 0.0);
    }
    if (least == most) {
      const double room = least == 0.0 ? 1.0 : 0.5 * std::abs(least);
      least -= bars ? 0.0 : room;
      most += room;
    }
    const double step = round_to_125((most - least) / 6.0, true);
    axis.low = given(wanted.low) ? least : std::floor(least / step + 1e-9) * step;
    axis.high = given(wanted.high) ? most : std::ceil(most / step - 1e-9) * step;
    add_linear_ticks(axis);
  }
  return axis;
}

/// Builds up the text of a picture.
class Canvas {
 public:
  Canvas(int width, int height, std::string_view title) {
    const std::string w = std::to_string(width);
    const std::string h = std::to_string(height);
    text_ =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h +
        "\" viewBox=\"0 0 " + w + " " + h +
        "\" role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>" +
        xml_text(title) + "</title>\n<rect width=\"" + w + "\" height=\"" + h +
        "\" fill=\"#ffffff\"/>\n";
  }
  void line(double x1, double y1, double x2, double y2, const char* colour, double width = 1.0) {
    text_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
             attribute("y2", y2) + " stroke=\"" + colour + "\"" + attribute("stroke-width", width) +
             "/>\n";
  }
  void rectangle(double x, double y, double width, double height, const char* colour) {
    text_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
             attribute("height", height) + " fill=\"" + colour + "\"/>\n";
  }
  /// `path` in the language of SVG, drawn as a line.
  void path(const std::string& path, const char* colour, double width, bool dashed) {
    text_ += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\"" +
             attribute("stroke-width", width) + (dashed ? " stroke-dasharray=\"7 4\"" : "") +
             " stroke-linejoin=\"round\"/>\n";
  }
  /// A mark, by its number: disc, square, triangle, diamond, and the same hollow.
  void mark(double x, double y, std::size_t kind, const char* colour) {
    const std::string paint =
        kind % 8 < 4 ? std::string(" fill=\"") + colour + "\"" : std::string(" fill=\"#ffffff\"");
    const std::string stroke = std::string(" stroke=\"") + colour + "\" stroke-width=\"1.6\"/>\n";
    const auto point = [&](double dx, double dy) {
      return coordinate(x + dx * kMark) + " " + coordinate(y + dy * kMark);
    };
    switch (kind % 4) {
      case 0:
        text_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", kMark) +
                 paint + stroke;
        break;
      case 1:
        text_ += "<path d=\"M" + point(-0.9, -0.9) + "L" + point(0.9, -0.9) + "L" +
                 point(0.9, 0.9) + "L" + point(-0.9, 0.9) + "Z\"" + paint + stroke;
        break;
      case 2:
        text_ += "<path d=\"M" + point(0, -1.2) + "L" + point(1.1, 0.8) + "L" + point(-1.1, 0.8) +
                 "Z\"" + paint + stroke;
        break;
      default:
        text_ += "<path d=\"M" + point(0, -1.3) + "L" + point(1.3, 0) + "L" + point(0, 1.3) + "L" +
                 point(-1.3, 0) + "Z\"" + paint + stroke;
    }
  }
  enum class Anchor : std::uint8_t { Start, Middle, End };
  void text(double x, double y, std::string_view words, double size, Anchor anchor,
            const char* colour = kInk, bool upright = false, bool bold = false) {
    static constexpr std::array kAnchors{"start", "middle", "end"};
    text_ += "<text" + attribute("x", x) + attribute("y", y) + attribute("font-size", size) +
             " fill=\"" + colour + "\" text-anchor=\"" +
             kAnchors[static_cast<std::size_t>(anchor)] + "\"";
    if (bold) text_ += " font-weight=\"bold\"";
    if (upright) text_ += " transform=\"rotate(-90 " + coordinate(x) + " " + coordinate(y) + ")\"";
    text_ += ">" + xml_text(words) + "</text>\n";
  }
  [[nodiscard]] std::string finish() { return std::move(text_) + "</svg>\n"; }

 private:
  static std::string attribute(const char* name, double value) {
    return std::string(" ") + name + "=\"" + coordinate(value) + "\"";
  }
  std::string text_;
};

using Anchor = Canvas::Anchor;

/// Where the plot is on the canvas.
struct Frame {
  double left, right, top, bottom;
};

/// Titles, legend and axes are the same for both charts: their sizes decide the frame.
struct Layout {
  Frame frame;
  double legend_left = 0.0;
};

Layout lay_out(int width, int height, const std::string& subtitle, const PlotAxis& y_wanted,
               const Axis& y, const std::vector<std::string>& legend, bool x_has_title) {
  double widest_tick = 0.0;
  for (const Tick& tick : y.ticks)
    widest_tick = std::max(widest_tick, text_width(tick.label, kTextSize));
  double widest_name = 0.0;
  for (const std::string& name : legend)
    widest_name = std::max(widest_name, text_width(name, kTextSize));
  const double legend_width =
      legend.empty() ? 0.0 : std::min(kLegendSwatch + 6.0 + widest_name + kMargin, 0.4 * width);
  Layout layout;
  layout.frame.left =
      kMargin + widest_tick + kTickLength + 4.0 + (y_wanted.title.empty() ? 0.0 : kTextSize + 10.0);
  layout.frame.right = width - kMargin - legend_width - (legend.empty() ? 6.0 : 10.0);
  layout.frame.top = kMargin + kTitleSize + (subtitle.empty() ? 0.0 : kTextSize + 6.0) + 14.0;
  layout.frame.bottom =
      height - kMargin - kTickLength - kTextSize - 6.0 - (x_has_title ? kTextSize + 8.0 : 0.0);
  layout.legend_left = layout.frame.right + 18.0;
  return layout;
}

void draw_titles(Canvas& canvas, const std::string& title, const std::string& subtitle) {
  canvas.text(kMargin, kMargin + kTitleSize - 3.0, title, kTitleSize, Anchor::Start, kInk, false,
              true);
  if (!subtitle.empty()) {
    canvas.text(kMargin, kMargin + kTitleSize + kTextSize + 3.0, subtitle, kTextSize, Anchor::Start,
                kFaintInk);
  }
}

void draw_y_axis(Canvas& canvas, const Frame& frame, const Axis& axis, const std::string& title) {
  for (const Tick& tick : axis.ticks) {
    const double y = axis.pixel(tick.value);
    const bool minor = tick.label.empty();
    canvas.line(frame.left, y, frame.right, y, minor ? kMinorGrid : kGrid);
    canvas.line(frame.left - (minor ? 0.5 : 1.0) * kTickLength, y, frame.left, y, kInk);
    if (!minor) {
      canvas.text(frame.left - kTickLength - 4.0, y + 0.35 * kTextSize, tick.label, kTextSize,
                  Anchor::End);
    }
  }
  if (!title.empty()) {
    canvas.text(kMargin + kTextSize - 2.0, 0.5 * (frame.top + frame.bottom), title, kTextSize,
                Anchor::Middle, kInk, true);
  }
}

void draw_x_title(Canvas& canvas, const Frame& frame, const std::string& title) {
  if (title.empty()) return;
  canvas.text(0.5 * (frame.left + frame.right), frame.bottom + kTickLength + 2.0 * kTextSize + 10.0,
              title, kTextSize, Anchor::Middle);
}

void draw_x_axis(Canvas& canvas, const Frame& frame, const Axis& axis, const std::string& title) {
  // Labels that would run into the one before are left out.
  double free_from = -std::numeric_limits<double>::infinity();
  for (const Tick& tick : axis.ticks) {
    const double x = axis.pixel(tick.value);
    const bool minor = tick.label.empty();
    canvas.line(x, frame.top, x, frame.bottom, minor ? kMinorGrid : kGrid);
    canvas.line(x, frame.bottom, x, frame.bottom + (minor ? 0.5 : 1.0) * kTickLength, kInk);
    const double half = 0.5 * text_width(tick.label, kTextSize);
    if (minor || x - half < free_from) continue;
    canvas.text(x, frame.bottom + kTickLength + kTextSize + 3.0, tick.label, kTextSize,
                Anchor::Middle);
    free_from = x + half + 0.5 * kTextSize;
  }
  draw_x_title(canvas, frame, title);
}

void draw_frame(Canvas& canvas, const Frame& frame) {
  canvas.line(frame.left, frame.bottom, frame.right, frame.bottom, kInk, 1.2);
  canvas.line(frame.left, frame.top, frame.left, frame.bottom, kInk, 1.2);
}

const char* colour_of(std::size_t i) { return kPalette[i % kPalette.size()]; }

int pixels(int wanted, int least) { return std::clamp(wanted, least, 10'000); }

}  // namespace

std::string svg(const LineChart& chart) {
  const int width = pixels(chart.width, 200);
  const int height = pixels(chart.height, 150);
  std::vector<double> xs;
  std::vector<double> ys;
  std::vector<std::string> legend;
  for (const LineSeries& series : chart.series) {
    for (const PlotPoint& point : series.points) {
      xs.push_back(point.x);
      ys.push_back(point.y);
    }
    if (!series.name.empty()) legend.push_back(series.name);
  }
  Axis x = make_axis(chart.x, xs, false);
  Axis y = make_axis(chart.y, ys, false);
  Layout layout =
      lay_out(width, height, chart.subtitle, chart.y, y, legend, !chart.x.title.empty());
  // The last label of the x axis is centred on the end of it.
  if (legend.empty() && !x.ticks.empty())
    layout.frame.right -= 0.5 * text_width(x.ticks.back().label, kTextSize);
  const Frame& frame = layout.frame;
  x.from = frame.left;
  x.to = frame.right;
  y.from = frame.bottom;
  y.to = frame.top;

  Canvas canvas(width, height, chart.title);
  draw_titles(canvas, chart.title, chart.subtitle);
  draw_y_axis(canvas, frame, y, chart.y.title);
  draw_x_axis(canvas, frame, x, chart.x.title);
  draw_frame(canvas, frame);

  double legend_y = frame.top + 0.5 * kLegendLine;
  std::size_t measured = 0;  // so many so far
  for (const LineSeries& series : chart.series) {
    if (!series.reference) ++measured;
    const std::size_t i = measured == 0 ? kPalette.size() - 1 : measured - 1;
    const char* colour = colour_of(i);
    std::string path;
    bool broken = true;
    for (const PlotPoint& point : series.points) {
      if (!x.shows(point.x) || !y.shows(point.y)) {
        broken = true;
        continue;
      }
      path +=
          (broken ? "M" : "L") + coordinate(x.pixel(point.x)) + " " + coordinate(y.pixel(point.y));
      broken = false;
    }
    const double line_width = series.reference ? 1.4 : 2.0;
    if (!path.empty()) canvas.path(path, colour, line_width, series.reference);
    for (const PlotPoint& point : series.points) {
      if (series.reference || !series.marks || !x.shows(point.x) || !y.shows(point.y)) continue;
      canvas.mark(x.pixel(point.x), y.pixel(point.y), i, colour);
    }
    if (series.name.empty()) continue;
    const double left = layout.legend_left;
    canvas.path("M" + coordinate(left) + " " + coordinate(legend_y) + "L" +
                    coordinate(left + kLegendSwatch) + " " + coordinate(legend_y),
                colour, line_width, series.reference);
    if (!series.reference && series.marks)
      canvas.mark(left + 0.5 * kLegendSwatch, legend_y, i, colour);
    canvas.text(left + kLegendSwatch + 6.0, legend_y + 0.35 * kTextSize, series.name, kTextSize,
                Anchor::Start);
    legend_y += kLegendLine;
  }
  return canvas.finish();
}

std::string svg(const BarChart& chart) {
  const int width = pixels(chart.width, 200);
  const int height = pixels(chart.height, 150);
  std::vector<double> values;
  std::vector<std::string> legend;
  for (const BarSeries& series : chart.series) {
    const std::size_t count = std::min(series.values.size(), chart.groups.size());
    values.insert(values.end(), series.values.begin(),
                  series.values.begin() + static_cast<std::ptrdiff_t>(count));
    if (!series.name.empty()) legend.push_back(series.name);
  }
  Axis y = make_axis(chart.y, values, true);
  const Layout layout =
      lay_out(width, height, chart.subtitle, chart.y, y, legend, !chart.x_title.empty());
  const Frame& frame = layout.frame;
  y.from = frame.bottom;
  // Room for the numbers above the highest bar.
  y.to = frame.top + (chart.show_values ? 3.2 * kTextSize : 0.0);

  Canvas canvas(width, height, chart.title);
  draw_titles(canvas, chart.title, chart.subtitle);
  draw_y_axis(canvas, frame, y, chart.y.title);
  draw_x_title(canvas, frame, chart.x_title);

  const double group_width = (frame.right - frame.left) /
                             static_cast<double>(std::max<std::size_t>(1, chart.groups.size()));
  const double bar_width =
      0.82 * group_width / static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  const double base = y.log ? frame.bottom : y.pixel(0.0);
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const double left = frame.left + (static_cast<double>(g) + 0.09) * group_width;
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      const BarSeries& series = chart.series[i];
      if (g >= series.values.size() || !y.drawable(series.values[g])) continue;
      const double x = left + static_cast<double>(i) * bar_width;
      const double top = y.pixel(series.values[g]);
      canvas.rectangle(x, std::min(top, base), 0.92 * bar_width, std::abs(base - top),
                       colour_of(i));
      if (!chart.show_values) continue;
      const double size = std::clamp(0.8 * bar_width, 6.0, 10.0);
      canvas.text(x + 0.46 * bar_width + 0.35 * size, std::min(top, base) - 3.0,
                  short_number(series.values[g]), size, Anchor::Start, kFaintInk, true);
    }
    canvas.text(frame.left + (static_cast<double>(g) + 0.5) * group_width,
                frame.bottom + kTickLength + kTextSize + 3.0, chart.groups[g], kTextSize,
                Anchor::Middle);
  }
  draw_frame(canvas, frame);
  if (!y.log && base < frame.bottom) canvas.line(frame.left, base, frame.right, base, kInk);

  double legend_y = frame.top + 0.5 * kLegendLine;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (chart.series[i].name.empty()) continue;
    canvas.rectangle(layout.legend_left, legend_y - 6.0, kLegendSwatch - 8.0, 12.0, colour_of(i));
    canvas.text(layout.legend_left + kLegendSwatch - 2.0, legend_y + 0.35 * kTextSize,
                chart.series[i].name, kTextSize, Anchor::Start);
    legend_y += kLegendLine;
  }
  return canvas.finish();
}

}  // namespace clearance
