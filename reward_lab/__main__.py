"""``python -m reward_lab`` is ``reward-lab``."""

from reward_lab.cli import main

main()
