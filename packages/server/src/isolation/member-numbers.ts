import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { writePrivately } from '../config/home.ts'

/** User and group ids of people and folders. A number is never given twice. */
export interface MemberNumbers {
  ofPerson(personId: string): number
  /** A folder shares the number of a folder around it. */
  ofFolder(real: string): number
}

const list = z.array(z.tuple([z.string(), z.int()]))
const schema = z.object({ people: list, folders: list })

interface Numbers {
  people: Map<string, number>
  folders: Map<string, number>
}

/** Keeps the numbers in a file. Nodes that share folders must share this file, too: they take turns in writing it. */
export function openMemberNumbers(file: string, range: { from: number; count: number }): MemberNumbers {
  let known = read(file)
  return {
    ofPerson: (personId) => known.people.get(personId) ?? give('people', personId),
    ofFolder(real) {
      const around = outermost(known.folders, real)
      return around ?? give('folders', real)
    },
  }

  function give(kind: keyof Numbers, key: string): number {
    return inTurn(file, () => {
      known = read(file)
      const found = kind === 'people' ? known.people.get(key) : outermost(known.folders, key)
      if (found !== undefined) return found
      const number = nextNumber(known, range)
      known[kind].set(key, number)
      const stored = { people: [...known.people], folders: [...known.folders] }
      writePrivately(file, `${JSON.stringify(stored, null, 2)}\n`)
      return number
    })
  }
}

function outermost(folders: ReadonlyMap<string, number>, real: string): number | undefined {
  const around = [...folders].filter(([folder]) => isInside(real, folder))
  return around.toSorted(([a], [b]) => a.length - b.length)[0]?.[1]
}

function nextNumber({ people, folders }: Numbers, { from, count }: { from: number; count: number }): number {
  const next = [...people.values(), ...folders.values()].reduce((most, one) => Math.max(most, one + 1), from)
  if (next < from + count) return next
  throw new NamedError(
    'NoNumbersLeft',
    `All ${count} user ids from ${from} are given to people and folders. Raise "team.userIds.count" in config.json.`,
    { status: 503 },
  )
}

function read(file: string): Numbers {
  try {
    const { people, folders } = schema.parse(JSON.parse(readFileSync(file, 'utf8')))
    return { people: new Map(people), folders: new Map(folders) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { people: new Map(), folders: new Map() }
    // With other numbers, people would own each other's files.
    throw new NamedError('BadNumbers', `${path.basename(file)} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const waitMs = 10
const mostWaits = 200
/** An older lock is from a process that was killed. */
const staleMs = 10_000

/** Synchronous, because it is rare and short: once per person and folder. */
function inTurn<Result>(file: string, work: () => Result): Result {
  const lock = `${file}.lock`
  for (let waits = 0; ; waits++) {
    try {
      closeSync(openSync(lock, 'wx', 0o600))
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || waits > mostWaits) throw error
      const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
      if (Date.now() - made > staleMs) rmSync(lock, { force: true })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
    }
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}
