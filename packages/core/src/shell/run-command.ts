import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Confinement } from '../access/decision.ts'
import { markOf } from '../files/undo-folder.ts'
import { childEnvironment, confinedEnvironment } from '../process/child-environment.ts'
import { createLiveText } from '../process/output-buffer.ts'
import { membersOf, sendSignalTo } from '../process/processes.ts'
import { processMark, queueStart } from '../process/start-process.ts'
import { watchProcesses } from '../sandbox/process-limits.ts'
import { abortReason } from '../tool/abort-reason.ts'
import type { ToolContext } from '../tool/tool.ts'
import { createOutputCollector, type ShownOutput } from './command-output.ts'
import { leftoverTask, refuseTooMany } from './command-task.ts'
import { confinementOf, type Launch, launch, usesNetwork } from './launch.ts'
import { rememberShellState, runsWithoutApproval, workingFolder } from './shell-state.ts'
import { commandShell, endStarted, type Exit, isClosed, startCommand, type StartedCommand } from './start-command.ts'
import { sandboxAdvice } from './task-display.ts'

export interface CommandResult extends ShownOutput {
  status: 'ended' | 'timed-out' | 'stopped'
  stoppedBy?: string
  exitCode: number | null
  signal: string | null
  durationMs: number
  cwd: string
  notes: string[]
  taskId?: string
}

/**
 * Runs a command to completion and yields its output. A stop or the time limit ends all its processes. The outcome
 * contains the output up to then. Rejects if the stop came before the command began.
 */
export async function* runCommand(
  command: string,
  ctx: ToolContext,
  timeoutMs: number,
): AsyncGenerator<string, CommandResult, void> {
  const { state } = ctx
  const notes: string[] = []
  const begun = performance.now()
  const running = await beginCommand(command, ctx, notes)
  const { started, confinement, mark } = running
  const keeper = createOutputCollector(ctx, 'bash')
  const live = createLiveText()
  const target = { pid: started.pid, mark }
  const ending = Promise.withResolvers<void>()
  ending.promise.catch(() => undefined)
  let status = 'ended' as CommandResult['status']
  let over = false
  const endAs = (how: 'timed-out' | 'stopped'): void => {
    if (status !== 'ended') return
    status = how
    void endStarted(started, mark).then(ending.resolve, ending.reject)
  }
  const timer = setTimeout(() => endAs('timed-out'), timeoutMs)
  const onStop = (): void => endAs('stopped')
  ctx.signal.addEventListener('abort', onStop, { once: true })
  started.onText = (text) => {
    live.add(text)
    return keeper.add(text)
  }
  try {
    ctx.signal.throwIfAborted()
    const noted = running.go()
    const finished = finish()
    for (;;) {
      const piece = await Promise.race([finished, live.next()])
      if (typeof piece !== 'string') break
      yield piece
    }
    const { exit: told, left } = await finished
    const exit = confinement === 'none' ? told : exitInside(told, started.lastWords)
    if (status !== 'ended') await ending.promise
    over = true
    const durationMs = Math.round(performance.now() - begun)
    const taskId = left && status === 'ended' ? keepLeftover(running, command, ctx, notes) : undefined
    if (status !== 'ended') started.abandon()
    rememberShellState(state, started.lastWords, { confinement, isUnasked: runsWithoutApproval(ctx) }, notes)
    await noted
    const shown = await keeper.end()
    const limit = running.stopReason?.(told.code)
    if (limit !== undefined) notes.push(limit)
    else if (exit.code !== 0 && status === 'ended') notes.push(...sandboxAdvice(shown.text, confinement, state))
    return {
      ...shown,
      status,
      stoppedBy: status === 'stopped' ? abortReason(ctx.signal.reason).text : undefined,
      exitCode: exit.code,
      signal: exit.signal,
      durationMs,
      cwd: state.cwd,
      notes,
      taskId,
    }
  } finally {
    clearTimeout(timer)
    ctx.signal.removeEventListener('abort', onStop)
    if (!over) {
      await endStarted(started, mark)
      started.abandon()
      await keeper.end()
    }
  }

  /** Waits for the shell to end and its output to arrive. `left`: some of its processes still run. */
  async function finish(): Promise<{ exit: Exit; left: boolean }> {
    // A process that cannot be killed must not block the call.
    const exit = await Promise.race([started.exited, ending.promise.then(() => started.exited)])
    clearTimeout(timer)
    if (status !== 'ended') await ending.promise
    if (await isClosed(started)) return { exit, left: !running.holdsOutput && (await outlives(target)) }
    if (membersOf(target, { fresh: true }).length > 0) return { exit, left: true }
    started.abandon()
    return { exit, left: false }
  }
}

/** True if some process of a command continues without holding its output. Processes about to exit do not count. */
async function outlives(target: { pid: number; mark: string }): Promise<boolean> {
  for (let waited = 0; sendSignalTo(-target.pid, 0); waited += 20) {
    if (membersOf(target, { fresh: true }).length === 0) return false
    if (waited >= 200) return true
    await delay(20)
  }
  return false
}

export interface RunningCommand {
  started: StartedCommand
  confinement: Confinement
  /** Its output stays open as long as any of its processes runs. */
  holdsOutput: boolean
  mark: string
  startedAt: number
  /** Sentence for the model and the person if a limit has ended it. */
  stopReason?(exitCode: number | null): string | undefined
  /** Starts the journaled command. Resolves when undo knows about it. Never rejects. */
  go(): Promise<void>
}

/** Starts the shell of a command in the agent's folder and environment. Journals it before it can do anything. */
export async function beginCommand(
  command: string,
  ctx: ToolContext,
  notes: string[],
  { stdin, cwd }: { stdin?: 'pipe'; cwd?: string } = {},
): Promise<RunningCommand> {
  const { state } = ctx
  if (command.includes('\0')) throw new Error('The command contains a NUL character, which is not allowed.')
  const mark = state.tasks.nextMark()
  const confined = confinementOf(ctx) !== 'none'
  const place = { cwd: cwd ?? workingFolder(state, notes), env: commandEnvironment(ctx, mark) }
  const attempt = async (): Promise<{ ready: Launch; started: StartedCommand }> => {
    const ready = await launch(ctx, commandShell(confined), place)
    const started = await startLaunch(ready, command, ctx, stdin)
    try {
      const complaint = sandboxComplaint(started)
      await ctx.process(started.pid)
      if (confined) await settled(started, ctx.signal, complaint)
      return { ready, started }
    } catch (error) {
      await endStarted(started, mark)
      started.abandon()
      throw error
    }
  }
  // A command that has not begun had no effect and can safely be restarted.
  const { ready, started } = await attempt().catch((error: unknown) => {
    if (error instanceof SandboxFailure) return attempt()
    throw error
  })
  return {
    started,
    confinement: ready.confinement,
    holdsOutput: ready.holdsOutput,
    ...(ready.stopReason !== undefined && { stopReason: ready.stopReason }),
    mark,
    startedAt: Date.now(),
    async go() {
      started.go()
      await noteForUndo(command, ctx, notes)
    },
  }
}

class SandboxFailure extends Error {}

/** Output before the command begins comes from the sandbox. */
function sandboxComplaint(started: StartedCommand): () => string {
  let printed = ''
  started.onText = (text) => void (printed = (printed + text).slice(0, 4096))
  return () => printed.trim()
}

/** Time in milliseconds to wait for the sandbox. After that the command's own time limit applies. */
const sandboxMs = 5000

async function settled(started: StartedCommand, signal: AbortSignal, complaint: () => string): Promise<void> {
  const over = new AbortController()
  const limit = delay(sandboxMs, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined)
  await Promise.race([started.settled, limit])
  over.abort()
  const exit = await Promise.race([started.exited, Promise.resolve(undefined)])
  if (exit === undefined || started.began) return
  await isClosed(started)
  const how = exit.signal === null ? `it exited with code ${exit.code}` : `it was killed by ${exit.signal}`
  throw new SandboxFailure(
    `The sandbox could not be started, so the command did not run: ${complaint() || `${how} without output`}`,
  )
}

/** Watches a confined command like a task. Its journaled process group cannot be found once the leader is gone. */
async function startLaunch(
  ready: Launch,
  command: string,
  { state, signal }: ToolContext,
  stdin: 'pipe' | undefined,
): Promise<StartedCommand> {
  const { confinement, release } = ready
  try {
    const started = await queueStart(async () => {
      const pipe = await state.pool.acquirePipe()
      return startCommand({ command, launch: ready, pipe, stdin })
    }, signal)
    if (confinement === 'none') return started
    state.pool.watch(started.pid, started.closed)
    const stopWatching = watchProcesses(started.pid)
    void started.closed.then(stopWatching).then(release)
    return started
  } catch (error) {
    release()
    throw error
  }
}

/** Lets undo report the commands it does not cover. A full disk must not keep a command from freeing space. */
export async function noteForUndo(command: string, ctx: ToolContext, notes: string[]): Promise<void> {
  try {
    await ctx.state.undo.command(markOf(ctx), command)
  } catch (error) {
    notes.push(`Undo cannot track this command: ${(error as Error).message}`)
  }
}

export function commandEnvironment(ctx: ToolContext, mark: string): Record<string, string> {
  const { env, sandboxEnv = env } = ctx.state
  const own =
    confinementOf(ctx) === 'none'
      ? { ...childEnvironment(), ...env }
      : { ...(usesNetwork(ctx) ? childEnvironment() : confinedEnvironment()), ...sandboxEnv }
  return { ...own, ...processMark(ctx.run.id, ctx.toolCallId), TROUPE_TASK: mark }
}

/** Keeps leftover processes of a command as a task. Kills them if the limit is reached. */
function keepLeftover(running: RunningCommand, command: string, ctx: ToolContext, notes: string[]): string | undefined {
  const { started, mark } = running
  try {
    refuseTooMany(ctx.state.tasks, 'command')
  } catch {
    notes.push('Its background processes were stopped, because too many background commands are already running.')
    void endStarted(started, mark).finally(() => started.abandon())
    return undefined
  }
  const task = leftoverTask({ ctx, command, ...running })
  ctx.state.tasks.add(task)
  notes.push(
    `A process it started is still running in the background as task ${task.id}. Use TaskOutput to see its output and TaskStop to stop it.`,
  )
  return task.id
}

/**
 * The sandbox reports the end of a shell only as a number. A signal code without last words means that the shell was
 * killed.
 */
function exitInside(exit: Exit, lastWords: string): Exit {
  if (exit.code === null || exit.code <= 128 || lastWords !== '') return exit
  const [signalName] = Object.entries(constants.signals).find(([, number]) => number === exit.code! - 128) ?? []
  return signalName === undefined ? exit : { code: null, signal: signalName as NodeJS.Signals }
}
