// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance completion: scripts for bash, zsh and fish, written from the options themselves, so
// that they cannot fall behind.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "session.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

/// An option or argument as the scripts need it.
struct Item {
  std::vector<std::string> names;  ///< with their dashes; empty for an argument
  std::string description;         ///< one line
  bool takes_value = false;
  bool many = false;  ///< an argument that may be repeated
  Hint hint;
};

struct Command {
  std::string name;
  std::string description;
  std::vector<Item> options;
  std::vector<Item> arguments;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Command describe(const CLI::App& app, const Program& program) {
  Command command{app.get_name(), first_line(app.get_description()), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    Item item;
    for (const std::string& name : option->get_snames()) item.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) item.names.push_back("--" + name);
    item.description = first_line(option->get_description());
    item.takes_value = option->get_items_expected_max() > 0;
    item.many = option->get_expected_max() >= CLI::detail::expected_max_vector_size;
    const auto hint = program.hints.find(option);
    if (hint != program.hints.end()) item.hint = hint->second;
    (option->get_positional() ? command.arguments : command.options).push_back(std::move(item));
  }
  return command;
}

std::string join(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::vector<std::string> names_of(const std::vector<Command>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const Command& verb : verbs) names.push_back(verb.name);
  return names;
}

/// Text with each of `special` preceded by `escape`.
std::string escaped(const std::string& text, std::string_view special, std::string_view escape) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += escape;
    result += c;
  }
  return result;
}

/// In single quotes, for any of the shells.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// bash: one function; COMPREPLY is filled by the word before the cursor, then by the verb.

std::string bash_files(const std::vector<std::string>& extensions) {
  if (extensions.empty()) return "COMPREPLY=($(compgen -f -- \"$word\"))";
  return "_clearance_files '" + join(extensions, "|") + "'";
}

std::string bash_values(const Hint& hint) {
  if (hint.values.empty()) return bash_files(hint.extensions);
  return "COMPREPLY=($(compgen -W '" + join(hint.values, " ") + "' -- \"$word\"))";
}

std::string bash_script(const Command& top, const std::vector<Command>& verbs) {
  const auto all_names = [](const Command& command) {
    std::vector<std::string> names;
    for (const Item& item : command.options)
      names.insert(names.end(), item.names.begin(), item.names.end());
    return join(names, " ");
  };
  std::string text =
      "# bash completion of clearance; written by: clearance completion bash\n"
      "_clearance_files() {\n"
      "  local file\n"
      "  COMPREPLY=()\n"
      "  while IFS= read -r file; do\n"
      "    shopt -q nocasematch; local kept=$?\n"
      "    shopt -s nocasematch\n"
      "    if [[ -d $file || $file =~ \\.($1)$ ]]; then COMPREPLY+=(\"$file\"); fi\n"
      "    ((kept == 0)) || shopt -u nocasematch\n"
      "  done < <(compgen -f -- \"$word\")\n"
      "}\n"
      "_clearance() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '" +
      join(names_of(verbs), " ") + " " + all_names(top) +
      "' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const Command& verb : verbs) {
    text += "    " + verb.name + ")\n      case $before in\n";
    for (const Item& item : verb.options) {
      if (!item.takes_value) continue;
      text += "        " + join(item.names, "|") + ")\n          " + bash_values(item.hint) +
              "\n          return ;;\n";
    }
    text += "      esac\n      if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W '" +
            all_names(verb) + "' -- \"$word\"))\n";
    if (!verb.arguments.empty())
      text += "      else\n        " + bash_values(verb.arguments.front().hint) + "\n";
    text += "      fi ;;\n";
  }
  return text + "  esac\n}\ncomplete -F _clearance clearance\n";
}

// zsh: _arguments with a state for the verb.

std::string zsh_action(const Item& item) {
  if (!item.hint.values.empty()) return "(" + join(item.hint.values, " ") + ")";
  if (!item.hint.extensions.empty())
    return "_files -g \"*.(#i)(" + join(item.hint.extensions, "|") + ")\"";
  return item.names.empty() ? "_files" : "";
}

std::string zsh_script(const Command& top, const std::vector<Command>& verbs) {
  const auto options = [](const Command& command, const std::string& indent) {
    std::string text;
    for (const Item& item : command.options) {
      for (const std::string& name : item.names) {
        std::string spec = name + "[" + escaped(item.description, "[]:", "\\") + "]";
        if (item.takes_value) spec += ":value:" + zsh_action(item);
        text += indent + shell_quoted(spec) + " \\\n";
      }
    }
    return text;
  };
  std::string text =
      "#compdef clearance\n"
      "# zsh completion of clearance; written by: clearance completion zsh\n"
      "_clearance() {\n"
      "  local state line\n"
      "  typeset -A opt_args\n"
      "  _arguments -C \\\n" +
      options(top, "    ") +
      "    '1:verb:->verb' \\\n"
      "    '*::argument:->argument'\n"
      "  case $state in\n"
      "    verb)\n"
      "      local -a verbs=(\n";
  for (const Command& verb : verbs)
    text +=
        "        " + shell_quoted(verb.name + ":" + escaped(verb.description, ":", "\\")) + "\n";
  text +=
      "      )\n"
      "      _describe verb verbs ;;\n"
      "    argument)\n"
      "      case ${line[1]} in\n";
  for (const Command& verb : verbs) {
    text += "        " + verb.name + ")\n          _arguments \\\n" + options(verb, "            ");
    std::string arguments;
    for (const Item& item : verb.arguments)
      arguments +=
          " " + shell_quoted(std::string(item.many ? "*" : "1") + ":argument:" + zsh_action(item));
    text += "           " + (arguments.empty() ? " && return" : arguments) + " ;;\n";
  }
  return text + "      esac ;;\n  esac\n}\n_clearance \"$@\"\n";
}

// fish: one line per option, each with the condition under which it is offered.

std::string fish_script(const Command& top, const std::vector<Command>& verbs) {
  const auto lines = [](const Command& command, const std::string& condition) {
    const std::string start = "complete -c clearance -n " + shell_quoted(condition);
    const auto values = [](const Item& item) {
      return item.hint.values.empty() ? std::string(" -F")
                                      : " -f -a " + shell_quoted(join(item.hint.values, " "));
    };
    std::string text;
    for (const Item& item : command.options) {
      text += start;
      for (const std::string& name : item.names)
        text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (item.takes_value) text += " -r" + values(item);
      text += " -d " + shell_quoted(item.description) + "\n";
    }
    for (const Item& item : command.arguments) text += start + values(item) + "\n";
    return text;
  };
  std::string text =
      "# fish completion of clearance; written by: clearance completion fish\n"
      "complete -c clearance -f\n";
  for (const Command& verb : verbs)
    text += "complete -c clearance -n __fish_use_subcommand -a " + verb.name + " -d " +
            shell_quoted(verb.description) + "\n";
  text += lines(top, "__fish_use_subcommand");
  for (const Command& verb : verbs) text += lines(verb, "__fish_seen_subcommand_from " + verb.name);
  return text;
}

}  // namespace

Verb add_completion(Program& program) {
  CLI::App* command =
      program.app.add_subcommand("completion",
                                 "Print a completion script for a shell.\n"
                                 "make install puts the scripts where the shells look for them.");
  auto shell = std::make_shared<std::string>();
  const std::vector<std::string> shells{"bash", "zsh", "fish"};
  CLI::Option* argument = command->add_option("SHELL", *shell, "bash, zsh or fish");
  argument->required();
  program.hints[argument] = {shells, {}};
  command->footer(
      "Examples:\n"
      "  source <(clearance completion bash)\n"
      "  clearance completion fish > ~/.config/fish/completions/clearance.fish");

  return {command, [shell, &program] {
            const Command top = describe(program.app, program);
            std::vector<Command> verbs;
            for (const CLI::App* verb :
                 program.app.get_subcommands([](const CLI::App*) { return true; }))
              verbs.push_back(describe(*verb, program));
            if (*shell == "bash") {
              std::cout << bash_script(top, verbs);
            } else if (*shell == "zsh") {
              std::cout << zsh_script(top, verbs);
            } else if (*shell == "fish") {
              std::cout << fish_script(top, verbs);
            } else {
              return static_cast<int>(
                  fail_usage("completion", "no script for '" + *shell + "': bash, zsh or fish"));
            }
            return static_cast<int>(kGood);
          }};
}

}  // namespace clearance::cli
