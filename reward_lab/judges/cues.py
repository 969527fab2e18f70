"""Cues: what English wording gives away about an instruction, an answer or a criterion.

Patterns only, each named for what it recognises; apostrophes are straight by the time they
are matched (:func:`reward_lab.judges.language.passage` sees to it). Other languages are
compared by their features alone.
"""

from __future__ import annotations

import re


def _cue(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


# -- what an instruction asks for ----------------------------------------------------------------

SOURCE_NOUN = _cue(
    r"\b(?:context|document|source|passage|text|article|information|fact|evidence|knowledge|material|excerpt|transcript"
    r"|policy|policies|reference|record|result|data|tool)s?\b",
    r"\b(?:retrieved|provided|supplied)\b",
)
LIMIT = _cue(
    r"\b(?:only|solely|exclusively|strictly|nothing (?:else|but|beyond)|not|don't|never|no|without|avoid\w*|nor)\b"
)
INVENTING = _cue(
    r"\b(?:invent|fabricat|hallucinat|mak(?:e|es|ing) (?:\w+ )?up|made[- ]up|guess|assum|speculat|add|extrapolat)\w*"
)
GROUNDING = _cue(
    r"\b(?:us(?:e|ing)|based on|according to|from|accurate\w*|faithful\w*|ground(?:ed)?|true to|stick to)\b"
)
BREVITY = _cue(
    r"\b(?:concise\w*|brief(?:ly)?|short(?:er)?|succinct\w*|to the point|terse\w*|no longer than|at most|keep it"
    r"|unnecessary words|padding|verbos\w+|wordy|long-winded|one sentence|single sentence)\b"
)
TRANSFORM = _cue(
    r"\b(?:summar\w+|paraphras\w+|rephras\w+|re-?writ\w+|translat\w+|combin\w+|simplif\w+|shorten\w*|condens\w+|tl;?dr)\b"
)
DIRECTIVE = _cue(
    r"^(?:please |now |then |and |can you |could you )*"
    r"(?:act|answer|analy[sz]e|arrange|calculate|classify|combine|compare|compose|compute|continue|convert|correct|create"
    r"|decide|define|describe|design|determine|discuss|draft|edit|estimate|explain|extract|find|fix|generate|give|help"
    r"|identify|illustrate|imagine|improve|list|make|name|outline|paraphrase|plan|predict|propose|prove|provide|rank|read"
    r"|recommend|rephrase|reply|respond|rewrite|say|show|simplify|solve|suggest|summari[sz]e|tell|translate|use|using"
    r"|whenever|write|finish|report|state|keep|be|include|return|check|ensure|begin|start|end|cite|quote|refuse|treat|follow"
    r"|stay|format|limit|avoid|do)\b"
)
QUESTION_LABEL = _cue(r"^(?:question|query|q|user question|task|instruction|request)s?\s*:\s*")
TO_THE_ASSISTANT = _cue(r"\b(?:you|your|must|should|always|never|do not|don't|only|respond|reply|answer)\b")
COUNT = _cue(
    r"\b(?:give|list|name|write|provide|suggest|offer|in|with|exactly)\b(?: \w+){0,2}? "
    r"(\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)\b(?: \w+){0,2}? (\w+s)\b"
)
ABSENT_TEXT = _cue(
    r"\b(?:the|this|following|above|below|attached) (?:text|passage|article|document|paragraph|story|excerpt)\b"
)
QUOTED = re.compile('["\u201c]([^"\u201c\u201d\n]{2,60})["\u201d]')

# -- how an answer speaks ------------------------------------------------------------------------

DEFLECTION = _cue(
    r"\bi(?:'m| am)(?: really| still)? (?:not (?:sure|certain|aware|able)|unable|afraid)\b",
    r"\bi (?:do not|don't|did not|didn't|cannot|can't|could not|couldn't|won't|will not) (?:\w+ )?"
    r"(?:know|have|help|assist|answer|provide|find|say|comment|recall|determine|discuss|comply)\b",
    r"\bi have no (?:idea|information)\b|\bno idea\b|\bas an ai\b|\bit(?: really| all)? depends\b|\bno information\b",
    r"\b(?:is|are|was|were)(?: not|n't) (?:mentioned|provided|specified|available|given|included|stated|covered)\b",
    r"\b(?:does not|doesn't|do not|don't) (?:mention|say|specify|state|contain|include|provide|cover)\b",
    r"\b(?:unable|impossible) to (?:find|determine|answer|say)\b",
    r"\b(?:check|consult|visit|contact|refer to|see|ask|reach out to|get in touch with|speak to|speak with|talk to) "
    r"(?:the|your|a|an|our|their|with)\b",
    r"\b(?:provide|share|paste|attach|send)(?: me)?(?: with)? (?:the|your|more|some|additional)\b",
)
PREAMBLE = _cue(
    r"(?:sure|certainly|of course|okay|great question|good question|absolutely|happy to help)\b.{0,60}[!.:]?$",
    r"(?:(?:my )?thought process|thinking|solution|(?:final )?answer|reasoning|explanation|response|step by step)\W*$",
    r"let'?s (?:think|solve|work|break|go)\b.{0,60}$",
    r"(?:here(?:'s| is| are)|below (?:is|are))\b.{0,80}:$",
)
TO_THE_GRADER = _cue(
    r"\b(?:ignore|disregard|forget|override)\b.{0,60}"
    r"\b(?:rubrics?|instructions?|criteri(?:a|on)|grading|above|previous)\b",
    r"\b(?:scor(?:e|ed|ing)|rat(?:e|ed|ing)|grad(?:e|ed|ing)|mark(?:s|ed)?|award(?:ed)?|reward)\b.{0,50}"
    r"(?:\b1(?:\.0+)?(?!\d)|\b10(?:\s*/\s*10)?\b|\b100\b|\bfull\b|\bhighest\b|\bmaximum\b|\bperfect\b|\btop\b)",
    r"\b(?:note|message|attention|instructions?|dear|hey)\b.{0,12}"
    r"\b(?:judge|grader|evaluator|reviewer|scorer|reward model)s?\b",
    r"\b(?:all|every) criteri(?:a|on)\b.{0,30}\b(?:met|satisfied|fulfilled|true)\b",
    r"[\"']?(?:score|rating|met|explanation)[\"']\s*:|</?(?:trajectory|trajectories|rubric|criteria|criterion|judge)\b",
)
# fmt: off
GRADER_WORDS = (
    "ignor", "disregard", "forget", "overrid", "scor", "rat", "grad", "mark", "award", "judge", "evaluator", "review",
    "reward", "criteri", "rubric", "trajector", '"met"', "'met'", "explanation",
)
# fmt: on
"""One of these stands in every text in which :data:`TO_THE_GRADER` finds something: a quick look before a slow one."""
CLAIMED_ACT = _cue(
    r"\b(?:i|we)(?:'ve| have)?(?: (?:just|now|already|also|successfully|gone ahead and))* "
    r"([a-z]{3,}ed|sent|made|booked|set)\b",
    r"\b(?:has|have) (?:now |already |just |also |successfully )*been (?:successfully )?([a-z]{3,}ed|sent|made|set)\b",
)
ABOUT_THE_ASKER = _cue(r"\b(?:i|i'm|i've|i'd|my|me|we|our)\b")
LOOKING_UP = _cue(r"(?:get|search|find|list|check|look|read|fetch|query|retrieve|view|show|describe|calc|comput)")
CONDITION = _cue(r"\b(?:if|once|after|when|until|unless|before|whether|that)\b(?: \w+){0,3} ?$")
FAILURE = _cue(
    r"\b(?:error|failed|failure|exception|timed? ?out|timeout|not found|denied|invalid|forbidden|unavailable)\b"
)
OWNING_UP = _cue(
    r"\b(?:error|fail\w*|unable|could not|couldn't|cannot|can't|not|unfortunately|sorry|problem|issue|trouble)\b"
)

# -- what a criterion is about -------------------------------------------------------------------

CATEGORY_LABEL = _cue(r"^(?:essential|important|optional|pitfall)(?: criteri(?:a|on))?\s*[:\-\u2013]\s*")
SUBJECT = _cue(
    r"^(?:does|do|is|are|has|have|did) (?:the )?"
    r"(?:response|answer|reply|assistant|model|agent|summary|output|text)s?\b ?",
    r"^(?:(?:the |this )(?:final )?(?:response|answer|reply|assistant|model|agent|summary|output|text)"
    r"|response|assistant|it)"
    r"(?: (?:should|must|has to|needs to|is able to))?\b ?",
)
NEGATED = _cue(
    r"^(?:does not|doesn't|do not|don't|did not|is not|isn't|are not|should not|must not|not|never|avoids?|avoiding"
    r"|refrains? from|fails? to|omits?|omitting|lacks?|without|contains? no|has no|(?:is )?free (?:of|from)|no"
    r"|neglects? to|neither|overlooks?|misses)\b ?"
)
INVENTS = _cue(
    r"\b(?:invent|fabricat|hallucinat|mak(?:e|es|ing) (?:\w+ )*?up|made[- ]up|unsupported|ungrounded|unfounded|baseless"
    r"|extrapolat)\w*",
    r"\b(?:not (?:in|found in|supported by|present in|stated in|backed by)|beyond|absent from|outside|contradict\w*) "
    r"(?:\w+ ){0,3}?(?:context|source|document|reference|passage|text|tool|retriev|policy|article|record|transcript)",
    r"\b(?:adds?|adding|introduc\w+|includ\w+) (?:\w+ ){0,3}?(?:information|facts?|details?|claims?)"
    r" (?:that|which|not|beyond)\b",
    r"\bfactual(?:ly)? (?:errors?|inaccura\w+|incorrect|wrong)\b",
    r"\bfalse (?:claims?|information|statements?)\b|\bmisinformation\b",
)
FAITHFUL = _cue(
    r"\b(?:factual(?:ly)?(?: accurate| correct)?|accurate(?:ly)?|faithful\w*|grounded|supported by|true to)\b",
    r"\bcorrect(?:ly)?\b",
    r"\b(?:only (?:uses?|relies|draws|states?)|(?:uses?|relies|draws|based|stays)(?: only| solely| strictly)?"
    r" (?:on|from|within)) (?:\w+ ){0,2}?(?:context|source|document|reference|passage|text|tool|policy|article)",
    r"\bconsistent with (?:\w+ ){0,2}?(?:context|source|document|reference|passage|text|tool|policy|article)",
)
CONCISE = _cue(
    r"\b(?:concise\w*|brief\w*|short|succinct\w*|to the point|(?:free of|no|without) (?:padding|filler|fluff))\b"
)
WORDY = _cue(
    r"\b(?:verbos\w*|wordy|long-winded|padding|padded|filler|redundan\w*|repeti\w*|repeats?|rambl\w*|overly long)\b"
)
HEDGES = _cue(
    r"\b(?:hedg\w+|deflect\w*|refus\w+|non-answer|evasive|evad\w+|dodg\w+"
    r"|(?:claims|says|states) (?:\w+ ){0,3}?(?:not sure|unsure)|vague(?:ly)?|declin\w+ to"
    r"|sends? (?:the )?\w+ (?:away|elsewhere))\b"
)
COMPLETE = _cue(
    r"\b(?:(?:all|every) (?:\w+ ){0,2}?(?:parts?|aspects?|questions?|points?)|complete(?:ly|ness)?"
    r"|(?:directly )?(?:answers?|addresses)"
    r" (?:all|the (?:\w+ ){0,2}?(?:question|request|query|prompt))|sufficient detail|enough detail|thorough\w*"
    r"|comprehensive\w*)\b"
)
CITES = _cue(
    r"\b(?:cit(?:e|es|ing|ation|ations)|quot(?:e|es|ing)|link(?:s)? to|attribut\w+ (?:\w+ )?to|references? a source)\b"
)
HELPFUL = _cue(r"\b(?:helpful|actionable|practical(?:ly)?|useful|next steps?|acts? on it)\b")
ASKS = _cue(r"^(?:asks?|requests?|seeks?|inquires?|clarif\w+)\b")
LENGTH = re.compile(
    r"\b(?:(at most|no more than|up to|under|fewer than|less than|within|at least|more than|exactly|in|over) )?"
    r"(\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|a single) "
    r"(sentence|word|paragraph|bullet|item|line)s?\b",
    re.IGNORECASE,
)
EXAMPLES = _cue(
    r"\((?:e\.g\.|i\.e\.|such as|for example|like|including)[^)]*\)", r"(?:,|\() ?(?:e\.g\.|such as|for example)[^).;]*"
)
ATTRIBUTION = _cue(
    r"\baccording to\b",
    r"\[\d+\]",
    r"\([A-Z][^()]{2,40}\d{4}\)",
    r"https?://",
    r"\bsource:",
    '["\u201c].{12,}["\u201d]',
)
ADVICE = _cue(
    r"\b(?:you (?:can|should|could|may|need to|must|will)|please|try|contact|email|call|click|visit|start|make sure"
    r"|keep|take|go to|ask|use|send|avoid|open|check|apply|book|follow|consider|seek)\b"
)
ASKING = _cue(
    r"\b(?:could|can|would) you (?:\w+ )?(?:tell|share|provide|clarify|say)\b",
    r"\blet me know\b|\bplease (?:tell|share|provide)\b",
)
BLAME = _cue(
    r"\b(?:penali[sz]e\w*|deduct\w*|punish\w*|(?:the )?worst(?: \w+)?|mark down"
    r"|lower(?:s)? (?:the )?(?:score|rating)s?(?: of| for)?"
    r"|do(?:es)? not reward|low (?:score|rating)s?(?: to| for)?"
    r"|(?:a |serious |severe |grave )*(?:fault|failure|flaw|mistake)s?"
    r"|should not|must not|avoid\w*|never|bad)\b"
)
PRAISE = _cue(
    r"^(?:please )?(?:prefer|reward|favou?r|praise"
    r"|(?:give )?(?:high(?:er|est)?|top|full) (?:score|mark|rating)s? (?:to|for)"
    r"|an? (?:good|great|strong|ideal|perfect|excellent) (?:answer|response|reply|summary|trajectory|agent)"
    r"|(?:good|great|strong|the best) (?:answer|response|replie|summarie|trajectorie|agent)s?)\b"
    r"(?: (?:an? |the )?(?:answer|response|replie|reply|summary|trajectory|agent|one)s?)?(?: (?:that|which|who))?"
)
