// Those one plays with: what is said, what is planned for when they have moved, and notices that they have.

import { Notices } from "./notices.js";
import { Plans } from "./plans.js";
import { Talk } from "./chat.js";

// Whether somebody sits at this table besides who sits here.
export function hasOthers(state) {
  return state.chairs?.some((chair, seat) => chair.taken && !chair.mine && state.kinds[seat] === "person") ?? false;
}

export class Company {
  // `restart()` lets the moves of the game be chosen again.
  constructor({ live, picture, places, choosing, scene, restart }) {
    this.talk = new Talk({ live });
    this.plans = new Plans({ live, picture, places, choosing, scene, restart });
    this.notices = new Notices();
  }

  // What is shown for choices of moves that are planned, and are on no element.
  get labels() {
    return this.plans.labels;
  }

  // `now` tells that the position of the game is shown, and not an earlier one.
  update(state, now) {
    const others = hasOthers(state);
    this.talk.update(state, others);
    this.plans.update(state, now, others);
    this.notices.update(state, others);
  }
}
