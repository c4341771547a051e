/** A value that tells those who watch it when it changes. */

export interface Signal<T> {
  get(): T;
  /** Does nothing if the value is already that. */
  set(value: T): void;
  /** Calls back on each change until the returned function is called. */
  watch(callback: (value: T) => void): () => void;
}

export function signal<T>(initial: T): Signal<T> {
  let value = initial;
  const watchers = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const watcher of [...watchers]) watcher(next);
    },
    watch(callback) {
      watchers.add(callback);
      return () => watchers.delete(callback);
    },
  };
}

/** Calls back once after any of the signals change, before the next picture. */
export function watchAll(signals: readonly { watch(callback: () => void): () => void }[], callback: () => void): void {
  let pending = false;
  const run = (): void => {
    pending = false;
    callback();
  };
  for (const one of signals) {
    one.watch(() => {
      if (pending) return;
      pending = true;
      queueMicrotask(run);
    });
  }
}
