import type { SandboxFinding, Session, Tool } from '@troupe/core'
import type { Access } from './access.ts'
import { checkParams } from './call-settings.ts'
import type { PromptBlock } from './context/preface.ts'
import { diagnose } from './doctor/diagnose.ts'
import { blocksFor, joinBlocks } from './instructions.ts'
import { createCallTool } from './mcp/call-tool.ts'
import type { ServerParts, OpenPartsContext } from './open-parts.ts'
import type { OpenWorkspace } from './open-workspace.ts'
import { createAskAnswers } from './permission/answers.ts'
import type { Route } from './route.ts'
import { createRoutes } from './routes.ts'
import { modelLimits } from './run-model.ts'
import { masterFrame, allowedTools } from './run-parts.ts'
import { toolSettings } from './tool-settings.ts'
import { version } from './version.ts'

export interface RouteAccess {
  access: Access
  openWorkspace: OpenWorkspace
  ownPort: () => number
  uploads: string
  /** A session is gone: nothing of it may stay. */
  onDelete: (sessionId: string) => Promise<void>
}

/** Every route, standing on the parts of the server. */
export function connectRoutes(
  parts: ServerParts,
  { home, env }: Pick<OpenPartsContext, 'home' | 'env'>,
  door: RouteAccess,
): Route[] {
  const { agent, blobs, config, context, enabledIn, hooks, inbox, live, messageParts, models, sandbox } = parts
  const { states, store, tabs, withoutSecrets, workspace, workspaceOf } = parts
  const { permissions, layers, grants, ruleBook } = parts.permissionParts
  const answers = createAskAnswers({
    store,
    inbox,
    live,
    permissions,
    ruleBook,
    grants,
    tools: (session) => enabledIn(session.workspaceId),
    contextOf: (session, agentId) => ({
      state: states.of(session, permissions.placeOf(session), agentId ?? undefined),
    }),
  })
  /** What the next call of the agent that a session talks to starts with. */
  const beginning = async (session: Session): Promise<{ blocks: PromptBlock[]; tools: readonly Tool[] }> => {
    const definition = await agent(session, session.agent ?? 'master')
    const picked = allowedTools(definition.tools, enabledIn(session.workspaceId))
    const blocks = await context.blocks(session, masterFrame(definition), definition.prompt)
    return { blocks: blocksFor(blocks, picked), tools: picked }
  }
  return createRoutes({
    ...door,
    store,
    live,
    inbox,
    tabs,
    pageCalls: parts.pageCalls,
    states,
    stateOf: async (session) => states.of(session, await workspaceOf(session)),
    blobs,
    media: parts.media,
    models,
    config,
    environmentModel: env['TROUPE_MODEL'] || null,
    version,
    modelId: async (id) => (await models.resolveChatModel(id)).id,
    checkParams: async (id, params) => checkParams(params, (await models.resolveChatModel(id)).definition),
    instructions: async (session) => joinBlocks((await beginning(session)).blocks),
    agentBook: parts.agentBook,
    skillBook: parts.skillBook,
    skillImports: parts.skillImports,
    hookBook: hooks,
    homePath: home.path,
    copyDatabase: store.copyTo,
    diagnose: (folder) => Array.fromAsync(diagnose({ env, cwd: folder, home: home.path })),
    takeMessage: messageParts.takeMessage,
    typedAddresses: parts.typedAddresses,
    commands: messageParts.commands,
    ownCommands: messageParts.ownCommands,
    lastCalls: context.lastCalls,
    nextCall: async (session) => {
      const { blocks, tools: picked } = await beginning(session)
      const { definition: model, id } = await models.resolveChatModel(session.model ?? undefined)
      return {
        model: { id, ...modelLimits(model) },
        blocks,
        tools: picked,
        offers: (action) => tabs.offers(session.workspaceId, action),
        mode: permissions.modeOf(session),
      }
    },
    tools: parts.toolsIn,
    mcp: parts.mcp,
    callTool: createCallTool({
      permissions,
      tools: enabledIn,
      hooks: (opened) => hooks.of(opened),
      state: (id, opened) => states.of({ id }, opened),
      blobs,
      browser: parts.browsers,
      redact: withoutSecrets,
      settings: (name) => toolSettings(config, name),
    }),
    useTools: parts.useTools,
    problems: parts.problemsOf,
    redact: withoutSecrets,
    onTrust: parts.load,
    modes: {
      check: permissions.checkMode,
      initial: async (workspaceId) => layers.mode((await store.workspaces.get(workspaceId)) ?? workspace),
      of: permissions.modeOf,
      set: permissions.setMode,
    },
    permissions,
    layers,
    ruleBook,
    answers,
    allowBypass: parts.allowBypass,
    sandbox: { available: sandbox.sandbox !== undefined, text: sandbox.text, ...sandboxFix(sandbox) },
  })
}

function sandboxFix({ fix }: SandboxFinding): { fix?: string } {
  return fix === undefined ? {} : { fix }
}
