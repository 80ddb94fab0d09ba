"""The prompts and their estimated tokens."""

from sim.studies.state_tracking import estimated_tokens, interpret, parse, render, render_table

SOURCE = "SET b = red\nRULE IF b = red THEN a = blue\nUNSET c\nQUERY a\n"


def test_the_prompt_holds_the_program_as_it_is_written():
    assert f"\n\n{SOURCE}Answer with one word" in render(parse(SOURCE))


def test_a_table_lists_the_set_variables_in_the_order_of_the_alphabet():
    prompt = render_table(interpret(parse(SOURCE)), "a")
    assert "\n\na = blue\nb = red\nQUERY a\nAnswer" in prompt


def test_a_token_is_a_word_or_the_end_of_a_line():
    assert estimated_tokens("SET b = red\n") == 5
    assert estimated_tokens("\n\n") == 0
    assert estimated_tokens(SOURCE) == 5 + 10 + 3 + 3
