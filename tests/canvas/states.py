"""The states that pictures.py draws besides the files of data/."""

STATES = []  # name, file of states/, options of pictures.Run
STEPS = {}  # name → what a person does
