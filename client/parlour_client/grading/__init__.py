"""Students' bots marked: `parlour grade`.

rubric    which tests there are, and what each is worth: by default, or from a file
proofs    positions of a game with what each of their moves is proven to lead to
trial     one file under one test: asked, called, and its faults counted
tests     what each test does
grader    a file after the other, shut in, test by test
exports   the marks for Gradescope, Classroom 50 and spreadsheets
report    the teacher's report: one page of HTML
"""
