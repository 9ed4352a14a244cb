"""Notebook 12: simulated readers with known answers, and a figure."""

from helpers.studies.nb12_sem_practice.figures import plot_sources
from helpers.studies.nb12_sem_practice.readers import CARDS, READERS, binned_error, card_readers, half_split_gap
