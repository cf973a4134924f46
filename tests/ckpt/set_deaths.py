"""Who of a working set of six processes dies, and where: for tests/ckpt/kill_rounds and tests/hosts/kill_rounds."""
import random

MEMBERS, SPARES = 4, 2
STEPS = ["form: shrunk", "form: asked", "form: told", "begin: filled", "begin: all filled", "form: split", "form: prepared",
         "form: committed", "form: decided", "begin: adopted", "open: gathered", "open: room", "open: decided", "start: copy",
         "start: piece", "start: posted", "commit: arrived", "commit: decided", "leave", "leave: left", "meet: decided"]
AFTER_A_DEATH = 5  # of them come only then


def kills_of(turn: int, draw: random.Random) -> list[str]:
    """One aimed at each step in turn, and another one: its cause where the step comes only after a death, else at random."""
    victims = draw.sample(range(MEMBERS + SPARES), 2)
    aim = turn % len(STEPS)
    kills = [f"{victims[0]}:{draw.randrange(2)}:{STEPS[aim]}"]
    if aim < AFTER_A_DEATH:
        member = draw.choice([rank for rank in range(MEMBERS) if rank != victims[0]])
        kills.append(f"{member}:{draw.randrange(1, 4)}:commit: decided")
    elif draw.random() < 0.5:
        kills.append(f"{victims[1]}:{draw.randrange(2)}:{draw.choice(STEPS)}")
    return kills
