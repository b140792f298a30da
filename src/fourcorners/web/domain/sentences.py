"""How clauses of the rules become the sentences that people read."""


def capitalise(text: str) -> str:
    """Make the first letter of a text a capital."""
    return text[:1].upper() + text[1:]


def write_sentence(clause: str) -> str:
    """Turn a clause into a sentence; what begins with a coordinate keeps its letters, and a sentence stays as it is."""
    if clause.endswith("."):
        return clause
    is_coordinate = any(sign.isdigit() for sign in clause.partition(" ")[0])
    return f"{clause if is_coordinate else capitalise(clause)}."
