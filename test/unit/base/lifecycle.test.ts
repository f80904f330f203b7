import { describe, expect, it } from "vitest";
import { Emitter } from "../../../src/base/event";
import { DisposableStore, MutableDisposable, toDisposable } from "../../../src/base/lifecycle";

describe("DisposableStore", () => {
  it("disposes in reverse order, once", () => {
    const order: string[] = [];
    const store = new DisposableStore();
    for (const name of ["a", "b", "c"]) store.add({ dispose: () => order.push(name) });
    store.dispose();
    store.dispose();
    expect(order).toEqual(["c", "b", "a"]);
  });

  it("disposes a late item at once instead of leaking it", () => {
    const store = new DisposableStore();
    store.dispose();
    let gone = false;
    store.add(toDisposable(() => (gone = true)));
    expect(gone).toBe(true);
  });

  it("goes on after an item that throws, and then says so", () => {
    const store = new DisposableStore();
    let reached = false;
    store.add({ dispose: () => (reached = true) });
    store.add({
      dispose: () => {
        throw new Error("boom");
      },
    });
    expect(() => store.dispose()).toThrow(AggregateError);
    expect(reached).toBe(true);
  });
});

describe("MutableDisposable", () => {
  it("disposes the old value when a new one comes, and whatever comes after its own end", () => {
    const ended: string[] = [];
    const slot = new MutableDisposable<{ dispose(): void }>();
    slot.value = { dispose: () => ended.push("first") };
    slot.value = { dispose: () => ended.push("second") };
    slot.dispose();
    slot.value = { dispose: () => ended.push("late") };
    expect(ended).toEqual(["first", "second", "late"]);
  });
});

describe("Emitter", () => {
  it("lets every listener hear although one throws", () => {
    const emitter = new Emitter<number>();
    const heard: number[] = [];
    emitter.event(() => {
      throw new Error("bad listener");
    });
    emitter.event((value) => heard.push(value));
    expect(() => emitter.fire(7)).toThrow("bad listener");
    expect(heard).toEqual([7]);
  });

  it("stops telling a listener that was disposed during the firing of another", () => {
    const emitter = new Emitter<number>();
    const heard: number[] = [];
    const subscription = emitter.event((value) => heard.push(value));
    emitter.fire(1);
    subscription.dispose();
    emitter.fire(2);
    expect(heard).toEqual([1]);
  });
});
