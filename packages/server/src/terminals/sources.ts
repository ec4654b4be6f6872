import type { Task } from '@troupe/core'
import type { WatchedState } from '@troupe/protocol'
import type { Place } from './history.ts'
import { createOutputFilter } from './output-filter.ts'
import type { PersonTerminal, TerminalSize } from './person-terminal.ts'

/** Output that a page watches. */
export interface Source {
  state(): WatchedState
  /** Returns the next output after a place, or undefined at the end. */
  read(from: Place): (Place & { text: string; skipped: number }) | undefined
  subscribe(listener: () => void): () => void
  write(text: string): void
  /** Answers a query for the cursor position. */
  position?(query: number, row: number, column: number): void
  resize(size: TerminalSize): void
  /** `note` tells the chat and the agent. */
  hold?(held: boolean, note: string): void
}

export function personSource(terminal: PersonTerminal): Source {
  return {
    state() {
      const { columns, rows, running, exitCode } = terminal.info
      return { columns, rows, running, exitCode, typing: running, takeable: false }
    },
    read: (from) => terminal.history.read(from),
    subscribe(listener) {
      terminal.viewers++
      terminal.listeners.add(listener)
      if (terminal.history.isCut) terminal.redraw()
      return () => {
        terminal.viewers--
        terminal.usedAt = Date.now()
        terminal.listeners.delete(listener)
      }
    },
    write: (text) => terminal.write(text),
    position: (query, row, column) => terminal.position(query, row, column),
    resize: (size) => terminal.resize(size),
  }
}

const pieceCharacters = 32_768

/** A command of an agent: read-only until the person takes it over. One source per viewer, since it filters. */
export function taskSource(task: Task, onHold: (note: string) => void): Source {
  let filter = createOutputFilter()
  let position = 0
  const isRunning = (): boolean => task.status === 'running'
  return {
    state: () => ({
      columns: task.size?.columns ?? null,
      rows: task.size?.rows ?? null,
      running: isRunning(),
      exitCode: task.exitCode,
      typing: isRunning() && task.held,
      // Without a terminal, nothing shows what is typed.
      takeable: isRunning() && task.write !== undefined && task.size !== undefined,
    }),
    read(from) {
      const { text, lost } = task.read(position)
      if (text === '') return undefined
      // The lost part may have ended inside an escape sequence.
      if (lost > 0) filter = createOutputFilter()
      const piece = text.slice(0, pieceCharacters)
      position += lost + piece.length
      const filtered = filter.push(piece).reduce((all, segment) => all + segment.text, '')
      return { ...from, text: task.size === undefined ? withReturns(filtered) : filtered, skipped: lost }
    },
    subscribe: (listener) => task.onNews(listener),
    write(text) {
      if (!task.held) return
      task.typedByPerson = true
      task.write?.(text)
    },
    resize({ columns, rows }) {
      if (task.held && isRunning()) task.resize?.(columns, rows)
    },
    hold(held, note) {
      if (task.write === undefined || task.size === undefined || task.held === held || !isRunning()) return
      task.hold(held)
      onHold(note)
    },
  }
}

/** Without a terminal, nothing returns to the start of the line. */
function withReturns(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n')
}
