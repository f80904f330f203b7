import type { Viewer } from "./viewer";

/** One model of a kind for each viewer, made when it is first asked for; another tab and back changes nothing. */
export function modelOf<M>(make: (viewer: Viewer) => M): (viewer: Viewer) => M {
  const models = new WeakMap<Viewer, { readonly model: M }>();
  return (viewer) => {
    const known = models.get(viewer) ?? { model: make(viewer) };
    models.set(viewer, known);
    return known.model;
  };
}
