"""Programs for the tests: crowded ones as Hypothesis strategies, and a second interpreter.

The second interpreter shares nothing with `sim`: it reads source text word by word, keeps plain
strings, and walks round the rules with a finger until a whole round has fired nothing.
"""

from hypothesis import strategies as st

from sim.studies.state_tracking import Program, Rule, Set, Unset


def naive_answer(source):
    """The colour asked for, or None."""
    lines = source.split("\n")
    state = naive_state(lines[:-2])
    assert lines[-1] == ""
    word, variable = lines[-2].split(" ")
    assert word == "QUERY"
    return state.get(variable)


def naive_state(lines):
    """The variables with a value after these lines, read from the last to the first."""
    decided, state, rules = set(), {}, []
    for line in reversed(lines):
        words = line.split(" ")
        if words[0] == "RULE":
            rules.insert(0, {"when": (words[2], words[4]), "then": (words[6], words[8])})
        elif words[1] not in decided:
            decided.add(words[1])
            if words[0] == "SET":
                state[words[1]] = words[3]
    finger, quiet = 0, 0
    while quiet < len(rules):
        rule = rules[finger]
        variable, value = rule["when"]
        if "fired" not in rule and state.get(variable) == value:
            rule["fired"] = True
            state[rule["then"][0]] = rule["then"][1]
            quiet = 0
        else:
            quiet += 1
        finger = (finger + 1) % len(rules)
    return state


def statements(variables="abc", values=("red", "blue", "green")):
    """Few variables and colours, so that rules chain, chase each other and disagree."""
    variable, value = st.sampled_from(variables), st.sampled_from(values)
    return st.one_of(
        st.builds(Set, variable, value),
        st.builds(Unset, variable),
        st.builds(Rule, variable, value, variable, value),
    )


def programs(variables="abc", values=("red", "blue", "green"), most=25):
    lines = st.lists(statements(variables, values), max_size=most).map(tuple)
    return st.builds(Program, lines, st.sampled_from(variables))
