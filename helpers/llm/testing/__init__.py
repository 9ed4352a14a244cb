"""A stand-in for a language model, whose answers have known probabilities; a server on the loopback address."""

from helpers.llm.testing.stand_in import StandIn, known_answers, stand_in

__all__ = ["StandIn", "known_answers", "stand_in"]
