// Typed events: an EventTarget whose listeners receive the detail itself.

/** @template {object} Events maps the name of each event to the type of its detail */
export class Emitter extends EventTarget {
  /**
   * Call `listener` with the detail of every event of this name.
   * @template {keyof Events & string} Name @param {Name} name @param {(detail: Events[Name]) => void} listener
   */
  on(name, listener) {
    this.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail));
  }

  /**
   * Call all listeners of an event. A listener that throws does not keep the others from being called.
   * @template {keyof Events & string} Name @param {Name} name @param {Events[Name]} detail
   */
  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
