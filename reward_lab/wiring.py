"""Wiring: the one place where parts are built and joined."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field

from reward_lab.core.judge import Ensemble
from reward_lab.judges import Asker, Policy, ReplyCache, Routes
from reward_lab.judges.litellm_client import LitellmTransport
from reward_lab.judges.offline import OfflineTransport
from reward_lab.services.calibration import Calibrations
from reward_lab.services.comparison import Comparisons
from reward_lab.services.datasets import Datasets
from reward_lab.services.drafts import Draft
from reward_lab.services.engine import Engine
from reward_lab.services.evidence import Evidence
from reward_lab.services.generation import Generation
from reward_lab.services.importing import Importing
from reward_lab.services.labelling import Labelling
from reward_lab.services.library import Library
from reward_lab.services.loop import BackgroundLoop
from reward_lab.services.offers import Offers
from reward_lab.services.results import Results
from reward_lab.services.rubric_drafts import RubricDraft
from reward_lab.services.saved_drafts import SavedDrafts
from reward_lab.services.scoring import Scoring
from reward_lab.services.sweep_drafts import SweepDraft
from reward_lab.services.sweeps import Sweeps
from reward_lab.services.training import Trainings
from reward_lab.settings import Settings
from reward_lab.store import Store


@dataclass(frozen=True, slots=True)
class Judging:
    """All that asks judges, without a store: an asker, and the loop it runs on.

    ``warmed`` has the model that the client of hosted judges was made ready for, once it was.
    """

    asker: Asker
    loop: BackgroundLoop
    routes: Routes
    warmed: list[str] = field(default_factory=list)

    def warm_up(self, judges: Ensemble) -> Future[None] | None:
        """Begin what the first call to these judges would otherwise wait for; ``None`` where nothing is left to do."""
        hosted = next((judge for judge in judges if not judge.is_offline), None)
        if hosted is None or self.warmed:
            return None
        self.warmed.append(hosted.model)
        return self.loop.submit(self.routes.transport_of(hosted).prepare())

    def close(self) -> None:
        """Close connections and the loop, and write out the cache."""
        self.loop.submit(self.routes.aclose()).result(timeout=10)
        self.loop.close()
        self.asker.close()


@dataclass(frozen=True, slots=True)
class Lab:
    """The services of one installation. The UI and the CLI reach everything through them."""

    settings: Settings
    scoring: Scoring
    sweeps: Sweeps
    results: Results
    comparisons: Comparisons
    trainings: Trainings
    datasets: Datasets
    importing: Importing
    labelling: Labelling
    calibrations: Calibrations
    drafts: SavedDrafts[Draft]
    rubric_drafts: SavedDrafts[RubricDraft]
    sweep_drafts: SavedDrafts[SweepDraft]
    library: Library
    generation: Generation
    evidence: Evidence
    offers: Offers
    judging: Judging
    store: Store

    def close(self) -> None:
        """End what runs (it can be resumed), and close the store."""
        self.judging.close()
        self.store.close()


def open_judging(settings: Settings, *, trust_all_endpoints: bool) -> Judging:
    """The judges of an installation. ``trust_all_endpoints``: the caller owns the keys in the environment."""
    routes = Routes(
        offline=OfflineTransport(),
        hosted=LitellmTransport(trusted_endpoints=settings.endpoints, trust_all_endpoints=trust_all_endpoints),
    )
    policy = Policy(concurrency=settings.concurrency, timeout_s=settings.timeout_s)
    asker = Asker(routes.transport_of, cache=ReplyCache(settings.cache), policy=policy)
    return Judging(asker, BackgroundLoop(), routes)


def open_lab(settings: Settings, *, trust_all_endpoints: bool) -> Lab:
    """Open an installation: its database, its cache, its judges.

    Raises:
        StoreError: the database cannot be opened or upgraded.
    """
    return lab_around(open_judging(settings, trust_all_endpoints=trust_all_endpoints), settings)


def lab_around(judging: Judging, settings: Settings) -> Lab:
    """Open an installation around judges that are open already; closing it closes them too.

    Raises:
        StoreError: the database cannot be opened or upgraded.
    """
    store = Store.open(settings.database)
    # An item in progress waits for its calls most of the time, so there are more items than calls in flight.
    engine = Engine(store, judging.asker, judging.loop, workers=2 * settings.concurrency)
    scoring = Scoring(store, engine)
    results = Results(store)
    return Lab(
        settings=settings,
        scoring=scoring,
        sweeps=Sweeps(store, scoring, engine, judging.loop),
        results=results,
        comparisons=Comparisons(store),
        trainings=Trainings(store),
        datasets=Datasets(store),
        importing=Importing(),
        labelling=Labelling(store),
        calibrations=Calibrations(store),
        drafts=SavedDrafts(store, Draft),
        rubric_drafts=SavedDrafts(store, RubricDraft),
        sweep_drafts=SavedDrafts(store, SweepDraft),
        library=Library(store),
        generation=Generation(judging.asker, judging.loop),
        evidence=Evidence(results),
        offers=Offers(),
        judging=judging,
        store=store,
    )
