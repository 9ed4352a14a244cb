"""Make data/smollm2_questions.csv: questions with unambiguous short answers, written for a small language model.

    python data/scripts/make_smollm2_questions.py

Capitals, opposites, simple facts, sums, units, days and months. Several right answers stand with | between them, the
reference first. They are mixed in difficulty on purpose: a confidence is worth studying where many answers are wrong.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

TARGET = Path(__file__).resolve().parents[1] / "smollm2_questions.csv"

SEED = 20261122

# A word and its right answers, _ for a space inside a name.
CAPITALS = """
France Paris;Italy Rome;Spain Madrid;Germany Berlin;England London;Japan Tokyo;China Beijing;Russia Moscow;
Egypt Cairo;Greece Athens;Portugal Lisbon;Austria Vienna;Poland Warsaw;Hungary Budapest;Ireland Dublin;
Norway Oslo;Sweden Stockholm;Denmark Copenhagen;Finland Helsinki;Iceland Reykjavik;Belgium Brussels;
Canada Ottawa;Australia Canberra;Brazil Brasilia;Argentina Buenos_Aires;Chile Santiago;Peru Lima;
Colombia Bogota;Mexico Mexico_City;Cuba Havana;Turkey Ankara;Iran Tehran;Iraq Baghdad;India New_Delhi|Delhi;
Pakistan Islamabad;Thailand Bangkok;Vietnam Hanoi;Indonesia Jakarta;Kenya Nairobi;Nigeria Abuja;Morocco Rabat;
Ethiopia Addis_Ababa;New_Zealand Wellington;Switzerland Bern|Berne;Romania Bucharest;Bulgaria Sofia;
Ukraine Kyiv|Kiev;South_Korea Seoul;Jamaica Kingston;Ghana Accra
"""

OPPOSITES = """
hot cold;big small|little;tall short;up down;left right;day night;black white;wet dry;hard soft;old young|new;
fast slow;open closed|shut;full empty;rich poor;light dark|darkness|heavy;loud quiet|silent|soft;early late;
first last;happy sad|unhappy;near far|distant;wide narrow;thick thin;strong weak;high low;inside outside|exterior;
begin end|finish|stop;buy sell;win lose|loss;love hate;push pull;above below|under;true false;clean dirty;
cheap expensive;deep shallow;sharp dull|blunt;sweet sour|bitter;smooth rough;ancient modern;
accept refuse|reject|decline|deny
"""


FACTS = [
    ("How many legs does a spider have?", "8|eight"),
    ("How many legs does an insect have?", "6|six"),
    ("How many wheels does a bicycle have?", "2|two"),
    ("How many sides does a triangle have?", "3|three"),
    ("How many sides does a hexagon have?", "6|six"),
    ("How many sides does an octagon have?", "8|eight"),
    ("How many continents are there?", "7|seven"),
    ("How many planets orbit the Sun?", "8|eight"),
    ("How many letters are in the English alphabet?", "26|twenty-six|twenty six"),
    ("How many players of one team are on the field in football (soccer)?", "11|eleven"),
    ("How many strings does a violin have?", "4|four"),
    ("How many strings does a standard guitar have?", "6|six"),
    ("How many cards are in a standard deck without jokers?", "52|fifty-two|fifty two"),
    ("How many squares does a chessboard have?", "64|sixty-four|sixty four"),
    ("How many colours are in a rainbow?", "7|seven"),
    ("What colour is the sky on a clear day?", "blue"),
    ("What colour is grass?", "green"),
    ("What colour is snow?", "white"),
    ("What colour is a ripe banana?", "yellow"),
    ("What colour is blood?", "red"),
    ("What colour do you get when you mix blue and yellow paint?", "green"),
    ("What colour do you get when you mix red and yellow paint?", "orange"),
    ("What colour do you get when you mix red and white paint?", "pink"),
    ("What is the largest planet of the solar system?", "Jupiter"),
    ("What is the planet closest to the Sun?", "Mercury"),
    ("Which planet is called the red planet?", "Mars"),
    ("Which planet is known for its rings?", "Saturn"),
    ("What is the largest ocean on Earth?", "Pacific|Pacific Ocean"),
    ("What is the longest river in South America?", "Amazon|Amazon River"),
    ("What is the highest mountain on Earth?", "Everest|Mount Everest"),
    ("What is the largest desert of hot sand in Africa?", "Sahara|Sahara Desert"),
    ("On which continent is Egypt?", "Africa"),
    ("On which continent is Brazil?", "South America"),
    ("On which continent is Japan?", "Asia"),
    ("On which continent is Spain?", "Europe"),
    ("On which continent is Canada?", "North America"),
    ("What is the chemical symbol of water?", "H2O"),
    ("What is the chemical symbol of gold?", "Au"),
    ("What is the chemical symbol of oxygen?", "O|O2"),
    ("What is the chemical symbol of iron?", "Fe"),
    ("What is the chemical symbol of sodium?", "Na"),
    ("Which gas do people need to breathe?", "oxygen|O2"),
    ("Which gas do plants take in from the air for photosynthesis?", "carbon dioxide|CO2"),
    ("What is frozen water called?", "ice"),
    ("Which metal is liquid at room temperature?", "mercury"),
    ("Who wrote Romeo and Juliet?", "William Shakespeare|Shakespeare"),
    ("Who wrote Don Quixote?", "Miguel de Cervantes|Cervantes"),
    ("Who wrote the Odyssey?", "Homer"),
    ("Who wrote Oliver Twist?", "Charles Dickens|Dickens"),
    ("Who wrote War and Peace?", "Leo Tolstoy|Tolstoy"),
    ("Who wrote 1984?", "George Orwell|Orwell"),
    ("Who painted the Mona Lisa?", "Leonardo da Vinci|Leonardo|da Vinci"),
    ("Who painted The Starry Night?", "Vincent van Gogh|van Gogh"),
    ("Who developed the theory of relativity?", "Albert Einstein|Einstein"),
    ("Who discovered penicillin?", "Alexander Fleming|Fleming"),
    ("Who was the first person to walk on the Moon?", "Neil Armstrong|Armstrong"),
    ("Who was the first president of the United States?", "George Washington|Washington"),
    ("Who proposed the theory of evolution by natural selection?", "Charles Darwin|Darwin"),
    ("In which year did the Second World War end?", "1945"),
    ("In which year did the First World War begin?", "1914"),
    ("In which year did people first walk on the Moon?", "1969"),
    ("In which year did Columbus first reach America?", "1492"),
    ("In which year did the Berlin Wall fall?", "1989"),
    ("What language is spoken in Brazil?", "Portuguese"),
    ("What language is spoken in Austria?", "German"),
    ("What language is spoken in Mexico?", "Spanish"),
    ("What is the currency of Japan?", "yen|Japanese yen"),
    ("What is the currency of the United Kingdom?", "pound|pound sterling|British pound"),
    ("What is the currency of India?", "rupee|Indian rupee"),
    ("Which animal is known as the king of the jungle?", "lion"),
    ("What is a young dog called?", "puppy"),
    ("What is a young cat called?", "kitten"),
    ("What is a young cow called?", "calf"),
    ("What is a young sheep called?", "lamb"),
    ("What is a young horse called?", "foal"),
    ("What is the largest animal on Earth?", "blue whale"),
    ("What is the tallest animal on land?", "giraffe"),
    ("What is the fastest animal on land?", "cheetah"),
    ("What do bees make?", "honey"),
    ("What do cows drink when they are adult?", "water"),
    ("Which bird cannot fly and lives in Antarctica?", "penguin"),
    ("Which organ pumps blood?", "heart"),
    ("With which organ do people think?", "brain"),
    ("With which organ do people see?", "eye|eyes"),
    ("What is the opposite direction of north?", "south"),
    ("What is the opposite direction of east?", "west"),
    ("What is the past tense of go?", "went"),
    ("What is the past tense of eat?", "ate"),
    ("What is the past tense of run?", "ran"),
    ("What is the past tense of write?", "wrote"),
    ("What is the plural of mouse?", "mice"),
    ("What is the plural of child?", "children"),
    ("What is the plural of foot?", "feet"),
    ("What is the plural of goose?", "geese"),
    ("Which season comes after winter?", "spring"),
    ("Which season comes before winter?", "autumn|fall"),
    ("Which meal is eaten in the morning?", "breakfast"),
    ("Which instrument has 88 keys?", "piano"),
    ("In which country is the Eiffel Tower?", "France"),
    ("In which city is the Colosseum?", "Rome"),
    ("In which country are the pyramids of Giza?", "Egypt"),
    ("In which country is the Taj Mahal?", "India"),
    ("Which country has the shape of a boot?", "Italy"),
    ("Which river flows through London?", "Thames|River Thames"),
    ("Which river flows through Paris?", "Seine"),
    ("Which ocean lies between Europe and America?", "Atlantic|Atlantic Ocean"),
]

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

MONTHS = {
    "January": 31, "February": "28|29", "March": 31, "April": 30, "May": 31, "June": 30, "July": 31, "August": 31,
    "September": 30, "October": 31, "November": 30, "December": 31,
}  # fmt: skip

UNITS = [  # the smaller, the larger, how many of the one are in the other
    ("seconds", "minute", 60), ("minutes", "hour", 60), ("hours", "day", 24), ("days", "week", 7),
    ("months", "year", 12), ("years", "century", 100), ("centimetres", "metre", 100), ("metres", "kilometre", 1000),
    ("grams", "kilogram", 1000), ("millimetres", "centimetre", 10), ("inches", "foot", 12), ("feet", "yard", 3),
]  # fmt: skip


def pairs(text):
    """(word, right answers) of a list such as "hot cold;big small|little"; _ stands for a space inside a name."""
    for pair in text.replace("\n", "").split(";"):
        word, right = pair.split(" ")
        yield word.replace("_", " "), right.replace("_", " ")


def arithmetic(rng):
    """Sums, differences and products of two numbers, easy ones and hard ones."""
    for low, high, count in ((1, 9, 14), (10, 49, 14), (50, 499, 8)):
        for a, b in rng.integers(low, high + 1, (count, 2)).tolist():
            yield f"What is {a} + {b}?", a + b
    for high, count in ((10, 10), (60, 8)):
        for a, b in np.sort(rng.integers(1, high + 1, (count, 2)), axis=1).tolist():
            yield f"What is {b} - {a}?", b - a
    for low, high, count in ((2, 9, 12), (10, 19, 6)):
        for a, b in rng.integers(low, high + 1, (count, 2)).tolist():
            yield f"What is {a} times {b}?", a * b


def calendar():
    """What comes after and before a day or month, and how long a month is."""
    for names, kind in ((DAYS, "day"), (list(MONTHS), "month")):
        for place, name in enumerate(names):
            yield f"Which {kind} comes after {name}?", names[(place + 1) % len(names)]
            yield f"Which {kind} comes before {name}?", names[place - 1]
    for name, days in MONTHS.items():
        yield f"How many days does {name} have?", days


def units(rng):
    """How many of a unit are in one and in several of a larger one."""
    for small, large, size in UNITS:
        yield f"How many {small} are in a {large}?".replace("a hour", "an hour"), size
        count = int(rng.integers(2, 6))
        plural = {"century": "centuries", "foot": "feet"}.get(large, f"{large}s")
        yield f"How many {small} are in {count} {plural}?", count * size


def make_table(seed=SEED):
    """The table as a DataFrame: kind, question, references."""
    rng = np.random.default_rng(seed)
    rows = [("capital", f"What is the capital of {place}?", city) for place, city in pairs(CAPITALS)]
    rows += [("opposite", f"What is the opposite of {word}?", other) for word, other in pairs(OPPOSITES)]
    rows += [("fact", question, right) for question, right in FACTS]
    rows += [("arithmetic", *pair) for pair in arithmetic(rng)]
    rows += [("calendar", *pair) for pair in calendar()]
    rows += [("unit", *pair) for pair in units(rng)]
    table = pd.DataFrame(rows, columns=["kind", "question", "references"])
    return table.drop_duplicates("question").astype(str).reset_index(drop=True)


if __name__ == "__main__":
    table = make_table()
    table.to_csv(sys.argv[1] if len(sys.argv) > 1 else TARGET, index=False, lineterminator="\n")
    print(f"{len(table):,} questions: {table['kind'].value_counts().to_dict()}")
