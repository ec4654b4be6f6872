import { count } from '@troupe/server/count'
import { type CommandContext, defineCommand, printNotice, UsageError } from '../shared/command.ts'
import type { Answered, RuleInfo, RuleList } from '@troupe/protocol'
import { connect, type Connection } from '../shared/connect.ts'

type Effect = 'allow' | 'ask' | 'deny'

type RuleTest = Answered<'POST /ai/rules/test'>

interface RuleRequest {
  connection: Connection
  context: CommandContext
  text: string
  effect: Effect | undefined
  scope: 'always' | 'project' | 'session'
  sessionId: string | undefined
  json: boolean
}

const usage = 'expected: troupe rules [list | add <rule> | remove <rule> | test <rule> | explain …]'

/** `troupe rules`: lists what runs without approval, what always asks, what never runs. `explain` has its own file. */
export const command = defineCommand({
  options: {
    allow: { type: 'boolean', default: false },
    ask: { type: 'boolean', default: false },
    deny: { type: 'boolean', default: false },
    project: { type: 'boolean', default: false },
    session: { type: 'string' },
    workspace: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  async run({ values, positionals }, context) {
    const [name = 'list', text, ...more] = positionals
    const action = actions[name]
    if (action === undefined || more.length > 0 || (text === undefined) !== (name === 'list'))
      throw new UsageError(usage)
    const effects = (['allow', 'ask', 'deny'] as const).filter((effect) => values[effect])
    if (effects.length > 1) throw new UsageError('use only one of --allow, --ask and --deny')
    if (values.project && values.session !== undefined) throw new UsageError('use either --project or --session')
    const connection = await connect(context, {
      workspace: values.workspace,
    })
    try {
      return await action({
        connection,
        context,
        text: text ?? '',
        effect: effects[0],
        scope: values.session !== undefined ? 'session' : values.project ? 'project' : 'always',
        sessionId: values.session,
        json: values.json,
      })
    } finally {
      await connection.close()
    }
  },
})

const actions: Record<string, (wanted: RuleRequest) => Promise<number>> = { list, add, remove, test }

async function list(wanted: RuleRequest): Promise<number> {
  const { context, json } = wanted
  const found = await fetchRules(wanted)
  if (json) {
    context.stdout.write(`${JSON.stringify(found)}\n`)
    return 0
  }
  for (const warning of found.warnings) printNotice(context, warning)
  const shown = found.rules.map(({ effect, text, layer, file, problem }) => {
    const place = `${layer}${file === null ? '' : `, ${file}`}`
    return `${effect.padEnd(5)}  ${text.padEnd(32)}  ${place}${problem === undefined ? '' : `  (invalid: ${problem})`}\n`
  })
  context.stdout.write(shown.length === 0 ? 'There are no rules. The defaults apply.\n' : shown.join(''))
  context.stdout.write(`New chats start in ${found.mode} mode. ${found.sandbox.text}\n`)
  return 0
}

async function add(wanted: RuleRequest): Promise<number> {
  const { text, effect = 'allow', scope, sessionId, context, json } = wanted
  const body = { text, effect, scope, sessionId }
  const added = await wanted.connection.call('POST /ai/rules', { body })
  for (const warning of added.warnings) printNotice(context, warning)
  if (json) context.stdout.write(`${JSON.stringify(added)}\n`)
  else if (added.rule !== undefined) context.stdout.write(`${effect} ${added.rule.text}: ${ruleLocation(added.rule)}\n`)
  if (!json && added.settled.length > 0)
    context.stdout.write(`${count(added.settled.length, 'open approval')} answered with it.\n`)
  return 0
}

async function remove(wanted: RuleRequest): Promise<number> {
  const { text, effect, context, connection, sessionId } = wanted
  const named = (await fetchRules(wanted)).rules.filter(
    (rule) => rule.text === text.trim() && (effect === undefined || rule.effect === effect),
  )
  const inScope = named.filter((rule) => isInScope(rule, wanted))
  const found = inScope.filter((rule) => rule.editable)
  if (found.length === 0) {
    const elsewhere = (inScope[0] ?? named[0]) === undefined ? '' : ` It is in: ${named.map(ruleLocation).join('; ')}.`
    throw new UsageError(`there is no rule "${text}" to remove here.${elsewhere}`)
  }
  for (const rule of found) {
    await connection.call('DELETE /ai/rules/:id', { params: { id: rule.id }, query: { sessionId } })
    context.stdout.write(`removed: ${rule.effect} ${rule.text} (${ruleLocation(rule)})\n`)
  }
  return 0
}

async function test(wanted: RuleRequest): Promise<number> {
  const { text, effect = 'allow', scope, sessionId, context, json } = wanted
  const body = { text, effect, scope, sessionId }
  const trial = await wanted.connection.call('POST /ai/rules/test', { body })
  if (json) {
    context.stdout.write(`${JSON.stringify(trial)}\n`)
    return 0
  }
  for (const warning of trial.warnings) printNotice(context, warning)
  const counts = ({ allow, ask, deny }: RuleTest['before']): string => `${allow} allowed, ${ask} asked, ${deny} denied`
  context.stdout.write(`The last ${count(trial.calls, 'tool call')} in this folder: ${counts(trial.before)}.\n`)
  context.stdout.write(
    `With ${effect} ${text}: ${counts(trial.after)}; ${count(trial.changed, 'tool call')} changed.\n`,
  )
  for (const { toolName, input, before, after } of trial.changes)
    context.stdout.write(`  ${before.decision} -> ${after.decision}  ${toolName} ${oneLine(input)}\n`)
  if (trial.changed > trial.changes.length) context.stdout.write(`  and ${trial.changed - trial.changes.length} more\n`)
  return 0
}

function fetchRules({ connection, sessionId }: RuleRequest): Promise<RuleList> {
  return connection.call('GET /ai/rules', { query: { sessionId } })
}

/** Without a flag, rules of all layers match. */
function isInScope({ layer, file }: RuleInfo, { scope }: RuleRequest): boolean {
  if (scope === 'session') return file === null
  return scope === 'always' || layer === 'project'
}

function ruleLocation({ layer, file }: RuleInfo): string {
  return file === null ? 'in this chat' : `${layer}, ${file}`
}

function oneLine(input: unknown): string {
  const text = JSON.stringify(input) ?? ''
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
