"""Polarity: whether a criterion's wording makes its statement good or bad when it is literally true.

Published pitfalls come in both phrasings under the same negative weight ("avoids aspirin", "recommends
aspirin"): RaR's science rubrics mostly in the first, its medical ones mostly in the second. Read by the
sign alone, half of them would reward the fault.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from reward_lab.core.rubric import Category


def stated_polarity(description: str, category: Category) -> bool | None:
    """The polarity of a criterion by its wording, and by its category where the wording shows nothing.

    True where being literally true is good ("avoids jargon", "states the deadline"), False where the
    statement describes a fault ("fails to mention the deadline", "recommends aspirin despite the allergy"),
    ``None`` where that cannot be told ("does not mention competitors").

    Where nothing points to a fault or to its absence, a pitfall describes a fault and any other
    criterion a merit. In a pitfall, what is not said is missing, as in the examples of RaR's prompt for
    rubrics. A pitfall in a language whose turns are not known here is ``None``.

    >>> stated_polarity("Pitfall Criteria: Does not recommend aspirin.", Category.PITFALL)
    True
    >>> stated_polarity("Pitfall Criteria: Recommends aspirin.", Category.PITFALL)
    False
    >>> stated_polarity("Recommends aspirin.", Category.IMPORTANT)
    True
    """
    text = _plain(description)
    turn = _turn(text)
    if turn in (_Turn.MERIT, _Turn.FAULT):
        return turn is _Turn.MERIT
    if category is not Category.PITFALL:
        return None if turn is _Turn.LEFT_OUT else True
    return None if turn is _Turn.NONE and _in_another_language(text) else False


def worded_polarity(description: str) -> bool | None:
    """As :func:`stated_polarity`, but only what the wording shows by itself: else ``None``.

    A category's label in front is passed over. How the first sentence opens decides, with a few turns
    that come later ("... but does not say when"): "explains why the plan fails" describes no fault.

    >>> worded_polarity("Essential: Omits the dose."), worded_polarity("States the dose.")
    (False, None)
    """
    turn = _turn(_plain(description))
    return turn is _Turn.MERIT if turn in (_Turn.MERIT, _Turn.FAULT) else None


def opening(description: str) -> str:
    """The first sentence of a criterion from its verb on, in lower case, without what stands in brackets or quotes.

    >>> opening("Essential: The response states the dose (in mg). It must be right.")
    'states the dose'
    """
    return _opening(_plain(description))


def without_label(description: str) -> str:
    """The description without a category's name in front of it.

    >>> without_label("Pitfall Criteria: Recommends aspirin."), without_label("Important dates are given.")
    ('Recommends aspirin.', 'Important dates are given.')
    """
    return _LABEL.sub("", description, count=1)


class _Turn(Enum):
    """How a statement is turned. ``LEFT_OUT``: something is not said, which may be meant either way."""

    MERIT = auto()
    FAULT = auto()
    LEFT_OUT = auto()
    NONE = auto()


_MOST_READ = 2000
"""Characters of a statement that are looked at: its opening is what tells."""


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE)


_LABEL = re.compile(
    r"""^[\s*_\#>\-]*
    (?: \[ (?:essential|important|optional|pitfalls?) \] [:\s]*
      | (?:essential|important|optional|pitfalls?) (?:\s+(?:criteri(?:a|on)|items?))?
        [\s*_]* (?: : | \s[-–—] ) [\s*_]* )
    """,
    re.IGNORECASE | re.VERBOSE,
)

_PROCEDURE = _words(r"\bmark\b.{0,40}\btrue\b | \bif\s(?:yes|so|not),?\s(?:then\s)?fail\b")
"""Steps for the judge, of which passing is good whatever they look for (HealthBench's clusters)."""

_NAMED = (
    r"(?:response|answer|reply|output|completion|assistant|model|agent|chatbot|text|essay|summary|solution|plan|report)"
)
_ASKED = _words(r"^(?:does|do|did|is|are|was|has|have|will)\s+(?=(?:it|(?:the|this|an?|each|every)\s+[\w']+)\s)")
_SUBJECT = _words(rf"^(?:it|(?:(?:the|this|an?|each|every)\s+)?(?:(?:model|assistant|agent)'s\s+)?{_NAMED})\s+")

_ADVERBS = r"(?:(?:also|just|even|still|\w+ly)\s+){0,2}"
_LEADING = r"(?:(?:an?|any|the|some|several|many|much|too|very|more|\w+ly)\s+){0,3}"
_FAULTY = r"""(?:
    incorrect|inaccurate|wrong|false|erroneous|fabricated|invented|hallucinated|made-up|fictitious|non-?existent
  | irrelevant|unrelated|off-topic|unnecessary|needless|redundant|repetitive|excessive|extraneous|superfluous|overly
  | misleading|deceptive|unsupported|unsubstantiated|unfounded|unverified|unjustified|unwarranted|unrealistic
  | harmful|unsafe|dangerous|inappropriate|offensive|insulting|discriminatory|biased|condescending|patroni[sz]ing
  | judgmental|dismissive|rude|vague|confusing|contradictory|inconsistent|outdated|obsolete|verbose|wordy|malicious
  | injected|prohibited|forbidden|speculative|generic
  | (?:factual\s|spelling\s|grammatical\s|logical\s)?(?:errors?|mistakes?|fallac(?:y|ies))|inaccurac(?:y|ies)
  | hallucinations?|falsehoods?|misinformation|fabrications?|jargon|filler|fluff|slang|profanity|stereotypes?
  | contradictions?|typos?|speculation|boilerplate|plagiarism|myths?|misconceptions?|repetitions?
  )\b"""
_GIVEN = _words(rf"^{_LEADING}{_FAULTY}")
_NEARBY = _words(rf"^(?:[\w'-]+\s+){{0,4}}?{_FAULTY}")

_OBLIGED = _words(r"^(?:must|should|shall|needs?\sto|has\sto|have\sto|ought\sto|do\snot|don't|please)\b")
"""Instructions: what they ask for is good."""

_AVOIDS = _words(
    rf"""^{_ADVERBS}(?:
        avoid\w* | refrain\w* | abstain\w* | steers?\sclear | stays?\saway | shies\saway | neither
      | (?:is\s|are\s|remains?\s|stays?\s)?free\s(?:of|from) | (?:the\s)?absence\sof | without\s{_LEADING}{_FAULTY}
      | ensures?\s(?:that\s)?(?:no|not|nothing)\b
      | (?:stays?|remains?|keeps?|is\skept)\s(?:\w+\s)?
        (?:within|concise|focused|on\stopic|neutral|brief|factual|objective|under|below)
      | (?:is\s|are\s)?(?:never|not|isn't|aren't)\s{_LEADING}{_FAULTY}
      | (?:there\s(?:is|are)\s)?no\s(?:\w+\s)?{_FAULTY}
    )"""
)

_NEGATED = _words(
    rf"""^{_ADVERBS}(?:does\snot|doesn't|doesnt|did\snot|didn't|has\snot|hasn't|will\snot|won't|cannot|can't|never|not
        |at\sno\spoint)\s{_ADVERBS}(?P<verb>[a-z]+)\s*(?P<what>.*)"""
)
_NO_MORE = _words(rf"^{_ADVERBS}(?P<verb>[a-z]+)\sno\s(?P<what>.*)")
_NONE_OF = _words(r"^(?:there\s(?:is|are)\s)?no\s(?P<what>.*)")
_NOT_SO = _words(r"^(?:is\snot|isn't|are\snot|aren't)\s")
_NOT_GOOD = _words(
    rf"""^(?:is\snot|isn't|are\snot|aren't|not)\s{_LEADING}(?:accurate|correct|clear|relevant|complete|consistent|concise
        |supported|justified|grounded|coherent|helpful|actionable|specific|sufficient|factual|tailored|suited|appropriate
        |polite|readable|organi[sz]ed|structured)"""
)

_OWED = _words(
    r"""^(?:answer|address|follow|adher|compl(?:y|ie|et)|meet|satisf|distinguish|differentiat|account|consider|recogni[sz]
        |acknowledg|clarif|justif|ensur|verif|understand|demonstrat|correct|warn)"""
)
"""Negated, something that any answer owes is missing."""

_SAID = _words(
    r"""^(?:mention|stat(?:e|es|ing)$|includ|provid|giv|offer|list|cit(?:e|es|ing)$|discuss|describ|ask|not(?:e|es|ing)$
        |advis|refer|nam(?:e|es|ing)$|say|tell|contain|present|add(?:s|ing)?$|request|seek|call|highlight
        |emphasi[sz]|express|cover|defin|summari[sz]|inform|point|indicat|outlin|show|explain|specif
        |identif|elaborat)"""
)
"""Negated, it depends on what is not said."""

_SERVES = _words(
    r"""^(?:us(?:e|es|ing)\s(?:an?\s|any\s|the\s)?(?:correct|right|proper|required|given|provided|appropriate|necessary)
        |(?:urg|encourag)\w*\s(?:(?:the\s|a\s)?(?:user|patient|reader|person|customer)|seeking|further|follow))"""
)
"""Negated, what would have served is not done; without it, what is not used or encouraged is better left."""

_BEYOND = _words(r"\b(?:beyond|unless|without)\b")
"""Negated, a bound that is kept."""

_HOLDS = _words(
    r"""^(?:includ|contain|provid|giv|offer|present|us(?:e|es|ing)$|add|stat(?:e|es|ing)$|cit|show|express|follow|compl
        |mak|introduc|ha(?:s|ve)$)"""
)
"""What is faulty in these is the answer's own; an error that is *identified* is somebody else's."""

_ASIDE = _words(
    r"""^(?:clear\s)?(?:mention|explanation|reference|discussion|justification|evidence|citation|source|acknowledg
        |indication|detail|warning)"""
)

_REJECTS = _words(
    rf"""^{_ADVERBS}(?:omit\w*|leav\w*\sout|ignor\w*|disregard\w*|dismiss\w*|contradict\w*|exclud\w*)\s(?P<what>.*)"""
)
_FAILS = _words(
    rf"""^{_ADVERBS}(?:
        fail(?:s|ed|ing|ure)?\b | neglect\w* | overlook\w* | forget\w* | miss(?:es|ed|ing)?\b | lack(?:s|ed|ing)?\b
      | omit\w* | omission | leav\w*\sout | ignor\w* | disregard\w* | dismiss\w* | contradict\w*
      | mis(?:stat|represent|interpret|identif|lead|calculat|understand|read|quot|attribut|characteri[sz]|diagnos|us
             |spell|classif|label|appl)\w*
      | hallucinat\w* | fabricat\w* | invent(?:s|ed|ing)?\b | mak(?:e|es|ing)\sup\b | confus(?:e|es|ed|ing)\b
      | conflat\w*
      | exaggerat\w* | overstat\w* | understat\w* | underplay\w* | downplay\w* | triviali[sz]\w* | distort\w*
      | minimi[sz](?:es?|ing)\s(?:the\s)?(?:severity|seriousness|importance|user's|patient's)
      | over(?:complicat|simplif|generali[sz]|emphasi[sz])\w* | rambl\w* | digress\w* | strays?\b | deviat\w*
      | patroni[sz](?:es?|ing)\b | infantili[sz]\w* | plagiari[sz]\w* | violat\w* | repeats?\sitself
      | (?:launch|jump)(?:es|s)?\s(?:straight\s)?(?:to|into)\b
      | exceeds?\s(?:the\s)?(?:\d|limit|length|maximum|word|allowed|permitted)
    )"""
)
_CLAIMS = _words(r"^(?:still\s|also\s|even\s)?claim(?:s|ing)?\b")
"""Rubrics say "states" of what is right and keep "claims" for what is not."""

_WRONGLY = _words(
    r"""^(?:[\w']+\s)?(?:(?:in(?:correct|accurate|appropriate|adequate|sufficient|consistent)|wrong|false|erroneous
        |mistaken|unnecessari|needless|improper|misleading|undu|excessive|premature|vague|poor|overconfident|blind
        |careless)ly)\b"""
)
_IS_FAULTY = _words(
    rf"""^(?:(?:is|are|sounds?|seems?|appears?|feels?)\s{_ADVERBS}(?:incomplete\b|unclear\b|evasive\b|{_FAULTY})
        |(?:is\s|are\s)?{_ADVERBS}too\s(?:long|short|technical|simple|complex|vague|verbose|brief|many|much|general|broad)\b)"""
)
_FAULT_NAMED = _words(
    r"""^(?:an?\s)?(?:incorrect|inaccurate|wrong|misleading|irrelevant|unnecessary|excessive|incomplete|unsupported
        |fabricated|inappropriate|redundant|harmful|unsafe|offensive)\s(?!.*\b(?:is|are|be|was|were|been)\b)"""
)
_CARRIES = _words(
    r"""^(?:\w+ly\s)?(?:provides?|includes?|contains?|gives?|uses?|makes?|presents?|offers?|has|have|introduces?|states?
        |cites?|adds?|recommends?|suggests?|relies\son|rely\son|asks?)\s(?P<what>.*)"""
)
_OF_A_FAULTY_KIND = _words(
    rf"\b(?:that|which)\s(?:is|are)\s(?:{_FAULTY}|not\s(?:suited|supported|relevant|accurate|appropriate))"
)

_CLAUSE = _words(r"\b(?:that|why|how|whether|against)\b")
_FALLS_SHORT = _words(
    r"""\b(?:but|yet)\s(?:it\s)?(?:(?:then\s)?(?:fails?|omits?|neglects?|ignores?)
            |(?:does\snot|doesn't|do\snot|never)\s
             (?:specify|explain|mention|state|say|provide|include|clarify|describe|address|detail)\b)
      | \bwithout\s(?:\w+ly\s|first\s|any\s)?(?:explaining|acknowledging|detailing|specifying|clarifying|justifying
            |defining|addressing|explanation|justification)\b"""
)
_UNCHECKED = _words(r"\bwithout\s(?:\w+ly\s|first\s)?(?:confirming|considering|verifying|assessing|checking)\b")
_ADVISES = _words(r"^(?:recommend|suggest|advis|warn|caution|encourag|urg|tell|instruct|remind)")
"""After these, what is to be checked first is up to the person who is advised."""

_DESPITE = _words(
    r"""^(?:\w+ly\s)?(?:recommends?|suggests?|prescribes?|advises|provides?|gives?|offers?|uses?|assumes?|diagnoses|orders?
        |concludes?)\b.*\b(?:despite|even\sthough|contrary\sto)\b"""
)
_REFUTED = _words(
    r"^(?:states?|asserts?|says?|insists?|suggests?)\b.*(?:\bwhen\sin\sfact\b|,\swhich\sis\s(?:false|incorrect|wrong|untrue))"
)
_SILENT = _words(
    r"\bwithout\s(?:\w+ly\s|any\s)?(?:asking|mentioning|mention\sof|providing|giving|stating|citing|noting)\b"
)


def _plain(description: str) -> str:
    text = without_label(description[:_MOST_READ]).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return text.strip().lower()


def _opening(text: str) -> str:
    text = re.sub(r"\s*\([^)]*\)?|\"[^\"]*\"", "", text)
    text = re.split(r"(?<=[\w')])[.?!](?:\s|$)|\n", text, maxsplit=1)[0]
    text = re.sub(r"\s+", " ", text).strip()
    return _SUBJECT.sub("", _ASKED.sub("", text, count=1), count=1)


def _turn(text: str) -> _Turn:
    start = _opening(text)
    if _PROCEDURE.search(text) or _OBLIGED.match(start) or _AVOIDS.match(start):
        return _Turn.MERIT
    if _NOT_GOOD.match(start):
        return _Turn.FAULT
    if found := _NEGATED.match(start):
        return _not_done(found["verb"], found["what"])
    if found := _NO_MORE.match(start):
        return _done_with_none(found["verb"], found["what"])
    if found := _NONE_OF.match(start):
        return _Turn.LEFT_OUT if _ASIDE.match(found["what"]) else _Turn.MERIT
    if _NOT_SO.match(start) or ((found := _REJECTS.match(start)) and _NEARBY.match(found["what"])):
        return _Turn.MERIT
    if _opens_with_fault(start) or _falls_short(start):
        return _Turn.FAULT
    return _Turn.LEFT_OUT if _SILENT.search(start) else _in_known_language(start)


def _not_done(verb: str, what: str) -> _Turn:
    """The turn of "does not ``verb`` ``what``"."""
    if _HOLDS.match(verb) and _NEARBY.match(what):
        return _Turn.MERIT
    if verb.startswith(("includ", "contain")) and what.startswith("any "):
        return _Turn.MERIT
    if _OWED.match(verb):
        return _Turn.FAULT
    if _SERVES.match(f"{verb} {what}"):
        return _Turn.LEFT_OUT
    return _Turn.LEFT_OUT if _SAID.match(verb) and not _BEYOND.search(what) else _Turn.MERIT


def _done_with_none(verb: str, what: str) -> _Turn:
    """The turn of "``verb`` no ``what``"."""
    if _HOLDS.match(verb) and _NEARBY.match(what):
        return _Turn.MERIT
    given = verb.startswith(("giv", "provid", "offer", "show"))
    return _Turn.LEFT_OUT if given or _ASIDE.match(what) else _Turn.MERIT


def _opens_with_fault(start: str) -> bool:
    return any(one.match(start) for one in (_FAILS, _CLAIMS, _WRONGLY, _IS_FAULTY, _FAULT_NAMED, _REFUTED))


def _falls_short(start: str) -> bool:
    """Whether what is done is faulty, or not done as it must be; what a *that* or *how* reports is not looked at."""
    carried = _CARRIES.match(start)
    if carried and (_GIVEN.match(carried["what"]) or _OF_A_FAULTY_KIND.search(start)):
        return True
    clause = _CLAUSE.search(start)
    own = start[: clause.start()] if clause else start
    if _DESPITE.match(own) or _FALLS_SHORT.search(own) or ", implying that " in start:
        return True
    return bool(_UNCHECKED.search(own)) and not _ADVISES.match(start)


_OTHERS_AVOID = re.compile(
    r"^(?:(?:la|el|die|a|le)\s\w+\s)?(?:evita|se abstiene|no (?:recomienda|afirma|inventa|asume|sugiere)|évite"
    r"|s'abstient|ne recommande pas|vermeidet|verzichtet|não (?:recomenda|afirma|inventa)"
    r"|non (?:raccomanda|afferma|inventa))\b"
    r"|^(?:(?:回答|答案|回复|回應|回覆)\s?)?(?:应|應)?(?:避免|不得|不应|不應|没有编造|未编造)"
    r"|を避け|избегает|не рекомендует|يتجنب"
)
_OTHERS_FAIL = re.compile(
    r"^(?:(?:la|el|die|a|le)\s\w+\s)?(?:omite|ignora|no menciona|inventa|omet|ne mentionne pas|erwähnt nicht|erfindet"
    r"|não menciona|non menziona)\b"
    r"|^(?:(?:回答|答案|回复|回應|回覆)\s?)?(?:遗漏|遺漏|未提|没有提|沒有提|忽略|编造|編造|捏造)"
    r"|を省略|言及していない|не упоминает|придумывает|يغفل"
)
_OTHERS_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        el la los las de del que para por con una un y en se le les des du une et der die das und mit nicht ein eine den
        il lo gli che per è não um uma os do da em
        """,
    )
)
_ENGLISH_WORDS = frozenset(
    re.findall(r"\w+", "the of to a an and or in is are for with that not on as from by it its this")
)


def _in_known_language(start: str) -> _Turn:
    """The commonest turns of other languages; Chinese, Japanese, Russian and Arabic among them."""
    if _OTHERS_AVOID.search(start):
        return _Turn.MERIT
    return _Turn.FAULT if _OTHERS_FAIL.search(start) else _Turn.NONE


def _in_another_language(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    if sum(character > "\u024f" for character in letters) * 2 > len(letters):
        return True
    spoken = re.findall(r"\w+", text)
    return sum(word in _OTHERS_WORDS for word in spoken) > sum(word in _ENGLISH_WORDS for word in spoken)
