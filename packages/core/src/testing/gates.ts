import { abortable } from './abortable.ts'

interface Gate {
  open: boolean
  reached: boolean
  waiting: Set<() => void>
  watching: (() => void)[]
}

/** Named places at which streams wait until a test lets them on. */
export class Gates {
  #gates = new Map<string, Gate>()

  /** Waits at the gate unless it is open. */
  async pass(name: string, signal: AbortSignal | undefined): Promise<void> {
    const gate = this.#gate(name)
    gate.reached = true
    for (const watcher of gate.watching.splice(0)) watcher()
    if (gate.open) return
    await abortable(signal, (done) => {
      gate.waiting.add(done)
      return () => gate.waiting.delete(done)
    })
  }

  open(name: string): void {
    const gate = this.#gate(name)
    gate.open = true
    for (const done of gate.waiting) done()
    gate.waiting.clear()
  }

  reached(name: string): Promise<void> {
    const gate = this.#gate(name)
    if (gate.reached) return Promise.resolve()
    return new Promise((resolve) => {
      gate.watching.push(resolve)
    })
  }

  #gate(name: string): Gate {
    let gate = this.#gates.get(name)
    if (!gate) {
      gate = { open: false, reached: false, waiting: new Set(), watching: [] }
      this.#gates.set(name, gate)
    }
    return gate
  }
}
