import path from 'node:path'
import { type CallNotes, editedText, partlyText } from '@troupe/protocol'
import type { Decision } from '../access/decision.ts'
import { realPath } from '../files/resolve-path.ts'
import { type HookVerdict, runHooks } from '../hooks/run-hooks.ts'
import type { Answer } from '../tool/asks.ts'
import { type Call, checkInput, toJson } from '../tool/parse-call.ts'
import type { ReducedInput, Tool, ToolContext } from '../tool/tool.ts'
import { askId, attachApproval, type CallScope, emitCallEvent, hookCallInfo, waitForAnswer } from './call-context.ts'

/** The input as given, and with the schema's defaults applied. */
interface CallInput {
  given: unknown
  input: unknown
}

/** Permitted input, plus the text that hooks add to the model's result. */
export interface Permitted extends CallInput {
  context: HookVerdict['context']
}

export interface EarlyPermission extends Permitted {
  before: HookVerdict
  /** Decision that a person or a hook agreed to. Absent if the rules allowed the call. */
  agreed?: Decision
  part?: AcceptedPart
}

/** Part of a change that a person accepted. */
interface AcceptedPart {
  /** Input of the whole change. */
  whole: CallInput
  hunks: ReadonlySet<string>
}

export interface PendingCall {
  call: Call & { tool: Tool }
  ctx: ToolContext
  scope: CallScope
  notes: CallNotes
  /** Earlier calls have not run yet, so nothing may depend on the state they will leave. */
  early?: true
}

/**
 * Decides to allow, ask or deny. Hooks run first and may rewrite the input. Rules then apply to the rewritten input. If
 * the rules ask, hooks and a person decide. Returns undefined if the call was refused and already has its result.
 */
export async function permitCall(pending: PendingCall, first: CallInput): Promise<EarlyPermission | undefined> {
  const before = await runBeforeHooks(pending, first)
  if (before.decision === 'deny') return denyCall(pending, before.reason)
  const now = before.rewritten === undefined ? first : await applyRewrite(pending, before.rewritten)
  return resolvePermission(pending, now, before)
}

/**
 * Rechecks a call that was permitted early, once its turn comes. A current deny wins. A call that the rules allowed is
 * asked about if they ask now. A person's approval does not cover changes made by earlier calls.
 */
export async function recheckPermission(pending: PendingCall, early: EarlyPermission): Promise<Permitted | undefined> {
  const { before, agreed, part } = early
  const { given, input } = part === undefined ? early : await reduceAgain(pending, part)
  const complaint = await pending.call.tool.validate?.(input, pending.ctx)
  if (typeof complaint === 'string') throw new Error(complaint)
  if (agreed === undefined) return resolvePermission(pending, { given, input }, before)
  const approved = pending.ctx.granted?.approved
  const decision = await decideOn(pending, { given, input })
  if (decision.decision === 'deny') return denyCall(pending, decision.reason)
  if (decision.decision === 'ask' && decisionKey(decision) !== decisionKey(agreed))
    throw new Error(
      `Not run: an earlier tool call in this step changed what this one would do. ${decision.reason} Repeat the call if you still need it.`,
    )
  if (approved !== undefined && pending.ctx.granted !== undefined) pending.ctx.granted.approved = approved
  return { ...early, given, input }
}

/** Earlier calls may have changed the file. The accepted part must still be what the person saw. */
async function reduceAgain(pending: PendingCall, { whole, hunks }: AcceptedPart): Promise<CallInput> {
  const { call, ctx, notes } = pending
  try {
    const reduced = await call.tool.reduce?.(whole.input, hunks, ctx)
    if (reduced === undefined || reduced.accepted === reduced.total) return whole
    const input = requireValidInput(call.tool, reduced.input)
    notes.executedInput = toJson(reduced.input)
    return { given: reduced.input, input }
  } catch (error) {
    throw new Error(`Not run: ${partlyText}, but ${(error as Error).message}`, { cause: error })
  }
}

/** The parts of a decision that a person agrees to and that can change. The option to remember it is not included. */
function decisionKey({ reason, rule, confinement, grants }: Decision): string {
  return JSON.stringify([reason, rule, confinement ?? 'none', grants ?? []])
}

async function resolvePermission(
  pending: PendingCall,
  now: CallInput,
  before: HookVerdict,
): Promise<EarlyPermission | undefined> {
  const decision = withHooks(await decideOn(pending, now), before)
  if (decision.decision === 'deny') return denyCall(pending, decision.reason)
  if (decision.decision === 'allow') {
    if (pending.early === true) emitAutoApproval(pending, decision.reason)
    return { ...now, context: before.context, before }
  }

  const shown = await previewCall(pending.call, now.input, pending.ctx, pending.scope.input.redact)
  const asking = await runAskHooks(pending, now, decision, shown)
  const context = [...before.context, ...asking.context]
  if (asking.decision === 'deny') return denyCall(pending, asking.reason, decision.reason)
  if (asking.decision === 'allow' && !isFirm(decision)) {
    if (pending.early === true) emitAutoApproval(pending, asking.reason ?? decision.reason)
    return { ...now, context, before, agreed: decision }
  }
  if (pending.scope.input.headless === true)
    return denyCall(
      pending,
      `${decision.reason} Nobody is available to approve it, so it did not run.`,
      decision.reason,
    )
  const answered = await askPerson(pending, now, decision, shown)
  return answered && { ...answered, context, before }
}

/** Tells clients that wait for every approval of a step that this call is approved. */
function emitAutoApproval({ call: { toolCallId }, scope }: PendingCall, reason: string): void {
  const approvalId = askId(scope.input.runId, toolCallId, 0)
  scope.emit({ type: 'tool-approval-request', approvalId, toolCallId, reason, isAutomatic: true })
  scope.emit({ type: 'tool-approval-response', approvalId, approved: true })
}

/** Applies the rules to this exact input. Their grants hold for the call from here on. */
export async function decideOn({ call, ctx, scope }: PendingCall, { input }: CallInput): Promise<Decision> {
  const decision = await scope.input.decide({ tool: call.tool, input }, ctx)
  const { confinement = 'none', grants = [], forbidden, hides } = decision
  ctx.granted = {
    confinement,
    grants,
    forbidden,
    hides,
  }
  return decision
}

/** Denies a call without a person. The model reads the reason and the turn continues. */
export function denyCall({ call, scope }: PendingCall, reason = 'It was denied.', asked = reason): undefined {
  const { toolCallId } = call
  const approvalId = askId(scope.input.runId, toolCallId, 0)
  scope.emit({ type: 'tool-approval-request', approvalId, toolCallId, reason: asked, isAutomatic: true })
  scope.emit({ type: 'tool-approval-response', approvalId, approved: false, reason })
  scope.emit({ type: 'tool-output-denied', toolCallId })
  emitCallEvent('tool:permission:response', call, scope, {
    askId: approvalId,
    approved: false,
    automatic: true,
    reason,
  })
}

async function runBeforeHooks({ call, ctx, scope }: PendingCall, { given }: CallInput): Promise<HookVerdict> {
  const { hooks = [] } = scope.input
  if (hooks.length === 0) return { context: [] }
  return runHooks(
    hooks,
    { event: 'before-call', ...hookCallInfo(call, given, scope) },
    { call: { tool: call.tool, ctx }, check: (input) => requireValidInput(call.tool, input), signal: scope.signal },
  )
}

async function runAskHooks(
  { call, ctx, scope }: PendingCall,
  { given }: CallInput,
  { reason, rule }: Decision,
  { title, content }: CallPreview,
): Promise<HookVerdict> {
  const { hooks = [] } = scope.input
  if (hooks.length === 0) return { context: [] }
  return runHooks(
    hooks,
    { event: 'ask', kind: 'approval', title, reason, rule, content, ...hookCallInfo(call, given, scope) },
    { call: { tool: call.tool, ctx }, check: (input) => requireValidInput(call.tool, input), signal: scope.signal },
  )
}

/** Stores the input as rewritten by hooks, next to the model's original. */
async function applyRewrite(pending: PendingCall, made: NonNullable<HookVerdict['rewritten']>): Promise<CallInput> {
  const { call, ctx, notes, early } = pending
  const input = requireValidInput(call.tool, made.input)
  const complaint = early === true ? undefined : await call.tool.validate?.(input, ctx)
  if (typeof complaint === 'string') throw new Error(`The hook ${made.hook} rewrote the input: ${complaint}`)
  notes.executedInput = toJson(made.input)
  notes.rewrittenBy = made.hook
  return { given: made.input, input }
}

/** A hook's allow acts like an allow rule. A hook's ask overrides every allow rule. */
function withHooks(decision: Decision, { decision: said, reason }: HookVerdict): Decision {
  if (decision.decision === 'deny' || said === undefined) return decision
  if (said === 'allow') return isFirm(decision) ? decision : { ...decision, decision: 'allow' }
  const { remember: _, ...rest } = decision
  if (decision.decision === 'ask') return { ...rest, firm: true }
  return { ...rest, decision: 'ask', reason: reason ?? 'A hook requires your approval.', rule: null, firm: true }
}

function isFirm({ decision, firm, rule }: Decision): boolean {
  return decision === 'ask' && (firm === true || rule !== null)
}

type Agreed = CallInput & { agreed: Decision; part?: AcceptedPart }

async function askPerson(
  pending: PendingCall,
  now: CallInput,
  decision: Decision,
  shown: CallPreview,
): Promise<Agreed | undefined> {
  const { call, scope } = pending
  const { toolCallId } = call
  const { reason, rule, remember, commands } = decision
  const why = {
    reason,
    rule,
    remember: remember?.length === 0 ? undefined : remember,
    commands: commands?.length === 0 ? undefined : commands,
  }
  const id = askId(scope.input.runId, toolCallId, 0)
  scope.emit({
    type: 'tool-approval-request',
    approvalId: id,
    toolCallId,
    reason,
    // Show the input that would actually run, not the model's original.
    approvalDescriptor: toJson({ ...shown, ...why, input: now.given === call.input ? undefined : now.given }),
  })
  emitCallEvent('tool:permission:request', call, scope, { askId: id, input: now.given, ...shown, ...why })
  noteSeenFiles(pending, now.input)
  const answer = await waitForAnswer({ kind: 'approval', ...shown }, id, { ...call, input: now.given }, scope, why)
  return applyApproval(pending, { ...now, agreed: decision }, id, answer)
}

/** After a restart an agent has read nothing. A change that a person was asked about needs what it knew of its files. */
function noteSeenFiles({ call, ctx, scope }: PendingCall, input: unknown): void {
  const { cwd, reads } = ctx.state
  for (const access of call.tool.touches?.(input, { cwd }) ?? []) {
    if (access.kind !== 'write') continue
    const { path: real } = realPath(path.resolve(cwd, access.path))
    const stamp = reads.get(real)
    if (stamp === undefined) continue
    const { sha256, mtimeMs, size, partial } = stamp
    scope.input.log.note({ type: '$seen', path: real, stamp: { sha256, mtimeMs, size, partial } })
  }
}

async function applyApproval(
  pending: PendingCall,
  now: Agreed,
  id: string,
  answer: Answer,
): Promise<Agreed | undefined> {
  const { call, ctx, scope, notes } = pending
  let settled: Agreed | string = now
  // Rejecting every part of a change denies it.
  if (answer.type === 'deny' || (answer.type === 'approve' && answer.hunks?.length === 0)) {
    respond(false, answer.remark)
    await scope.input.log.sync()
    if (answer.remark === undefined) scope.deny(call)
    return undefined
  }
  if (answer.type !== 'approve') {
    throw new Error(
      `An approval was answered with "${String(answer.type)}". Answer { type: 'approve' } or { type: 'deny', remark? }.`,
    )
  }
  settled =
    answer.hunks !== undefined
      ? await acceptHunks(pending, now, new Set(answer.hunks), answer.remark)
      : answer.input === undefined
        ? now
        : await checkEditedInput(pending, answer.input)
  if (typeof settled === 'string') {
    respond(false, settled)
    return undefined
  }
  if (ctx.granted !== undefined && answer.rule === undefined) ctx.granted.approved = true
  respond(true, answer.rule === undefined ? undefined : `The rule "${answer.rule}" allows it.`)
  await scope.input.log.sync()
  if (answer.data !== undefined) attachApproval(ctx, answer.data)
  if (settled === now || settled.given === now.given) return settled
  notes.executedInput = toJson(settled.given)
  delete notes.rewrittenBy
  return settled

  function respond(approved: boolean, reason?: string): void {
    const said = { approved, reason }
    scope.emit({ type: 'tool-approval-response', approvalId: id, ...said })
    if (!approved) scope.emit({ type: 'tool-output-denied', toolCallId: call.toolCallId })
    emitCallEvent('tool:permission:response', call, scope, {
      askId: id,
      ...said,
      remember: answer.type === 'approve' ? answer.remember : undefined,
      input: typeof settled === 'object' && settled.given !== now.given ? settled.given : undefined,
    })
  }
}

/** Reduces the input to the accepted hunks, as if a person had edited it. A returned string is the reason for a refusal. */
async function acceptHunks(
  pending: PendingCall,
  now: Agreed,
  hunks: ReadonlySet<string>,
  remark: string | undefined,
): Promise<Agreed | string> {
  const { call, ctx, notes } = pending
  const { tool } = call
  if (tool.reduce === undefined) return `${partlyText}, but ${tool.name} can only run as a whole. Nothing was changed.`
  let reduced: ReducedInput
  try {
    reduced = await tool.reduce(now.input, hunks, ctx)
  } catch (error) {
    return `${partlyText}, but ${(error as Error).message}`
  }
  const { accepted, total, rejected } = reduced
  const part = { whole: { given: now.given, input: now.input }, hunks }
  if (accepted === total) return { ...now, part }
  const checked = await checkEditedInput(pending, reduced.input, partlyText)
  if (typeof checked === 'string') return checked
  notes.partly = { accepted, total, rejected, remark: remark?.trim() === '' ? undefined : remark }
  return { ...checked, part }
}

/**
 * Decides again on input that a person edited. Their approval settles only rules that ask. The input runs exactly as
 * written or not at all, so hooks may only refuse it. A returned string is the reason for a refusal.
 */
async function checkEditedInput(
  pending: PendingCall,
  given: unknown,
  who: string = editedText,
): Promise<Agreed | string> {
  const { tool } = pending.call
  const checked = checkInput(tool, given)
  if ('complaint' in checked) return `${who}, but the edited input is invalid: ${checked.complaint}`
  const complaint = pending.early === true ? undefined : await tool.validate?.(checked.input as never, pending.ctx)
  if (typeof complaint === 'string') return `${who}, but the edited input is invalid: ${complaint}`
  const edited = { given, input: checked.input }
  const verdict = await runBeforeHooks(pending, edited)
  if (verdict.decision === 'deny') return `${who}, but the edited input was denied: ${verdict.reason}`
  const agreed = await decideOn(pending, edited)
  return agreed.decision === 'deny'
    ? `${who}, but the edited input was denied: ${agreed.reason}`
    : { ...edited, agreed }
}

function requireValidInput(tool: Tool, given: unknown): unknown {
  const checked = checkInput(tool, given)
  if ('complaint' in checked) throw new Error(checked.complaint)
  return checked.input
}

export interface CallPreview {
  title: string
  summary?: string
  content?: unknown
}

/** Maximum time in milliseconds that a person waits for a preview. */
const previewMs = 2000

/**
 * Builds the preview shown to a person: the tool's description of its input and, if available, the effect on the
 * current state. If the preview fails or times out, only the input is shown. Known secrets are redacted, because the
 * preview is stored with the conversation.
 */
export async function previewCall(
  call: Call & { tool: Tool },
  input: unknown,
  ctx: ToolContext,
  redact: (text: string) => string = (text) => text,
): Promise<CallPreview> {
  const { tool } = call
  const shown = tool.permission?.(input) ?? { title: tool.title?.(input) ?? call.actionName ?? tool.name }
  const content = tool.preview === undefined ? undefined : await toolPreview(tool, input, ctx)
  if (content === undefined) return toJson(shown) as CallPreview
  return toJson({ ...shown, content: JSON.parse(redact(JSON.stringify(content))) as unknown }) as CallPreview
}

async function toolPreview(tool: Tool, input: unknown, ctx: ToolContext): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, previewMs, undefined)
  try {
    return await Promise.race([tool.preview?.(input, ctx), promise])
  } catch {
    // The call reports the reason when it runs.
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
