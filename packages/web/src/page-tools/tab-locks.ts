/** What only one tab of the browser may do at a time. A tab that dies lets go. */
export interface TabLocks {
  /** Waits for its turn, then holds it until the work is done. */
  alone<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  /** Holds the name of this tab for as long as it lives. False where another tab has it: this one is a copy. */
  live(tabId: string): Promise<boolean>
  /** The tabs of this browser that live; undefined where it cannot tell. */
  alive(): Promise<string[] | undefined>
}

const tabPrefix = 'troupe.tab.'
/** A page that is loaded anew asks before the one before it has let go. */
const patience = 1500

export function createTabLocks(locks: LockManager | undefined): TabLocks {
  if (locks === undefined) return alone()
  return {
    alone: (name, work) => locks.request(`troupe.call.${name}`, work) as Promise<Awaited<ReturnType<typeof work>>>,
    live: (tabId) =>
      new Promise((resolve) => {
        locks
          .request(`${tabPrefix}${tabId}`, { signal: AbortSignal.timeout(patience) }, () => {
            resolve(true)
            return new Promise(() => undefined)
          })
          .catch(() => resolve(false))
      }),
    async alive() {
      const { held = [] } = await locks.query()
      return held.flatMap(({ name }) => (name?.startsWith(tabPrefix) === true ? [name.slice(tabPrefix.length)] : []))
    },
  }
}

/** A browser without locks, or a page that may not use them. */
function alone(): TabLocks {
  const turns = new Map<string, Promise<unknown>>()
  return {
    async alone(name, work) {
      await turns.get(name)?.catch(() => undefined)
      const turn = work()
      turns.set(name, turn)
      return turn
    },
    live: () => Promise.resolve(true),
    alive: () => Promise.resolve(undefined),
  }
}
