import { NamedError } from '@troupe/protocol'
import type { Models } from './models.ts'

/** Refuses models that an administrator does not allow, and does not list them. */
export function withModelPolicy(models: Models, allows: (ref: string) => boolean): Models {
  const check = <T extends { id: string }>(found: T): T => {
    if (allows(found.id)) return found
    throw new NamedError('ModelNotAllowed', `The policy of the organization does not allow the model ${found.id}.`, {
      status: 403,
      data: { model: found.id },
    })
  }
  return {
    ...models,
    resolveChatModel: async (id) => check(await models.resolveChatModel(id)),
    resolveMediaModel: async (...given) => check(await models.resolveMediaModel(...given)),
    resolveVoiceModel: async (kind) => check(await models.resolveVoiceModel(kind)),
    listModels: async (options) => (await models.listModels(options)).filter(({ ref }) => allows(ref)),
    listMediaModels: async (...given) => (await models.listMediaModels(...given)).filter(({ ref }) => allows(ref)),
  }
}
