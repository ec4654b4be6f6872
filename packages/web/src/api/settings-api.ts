import type { Workspace } from '@troupe/core'
import type { ConfigInfo, ConfigPatch } from './config-info.ts'
import type { ModelInfo } from './model-info.ts'
import type { Request } from './request.ts'
import type { DataInfo, Finding, HookList, SkillList, StagedSkills } from './settings-info.ts'

/** The routes that only the settings use. */
export function settingsApi(request: Request) {
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await request(method, path, { body })
    return (await response.json()) as T
  }
  const staged = (id: string) => `/ai/skills/imports/${encodeURIComponent(id)}`
  return {
    skills: () => json<SkillList>('GET', '/ai/skills'),
    /** Unpacks what a folder or archive on the server's machine has, or a blob. */
    stageSkills: (source: { path: string } | { blob: string }) =>
      json<{ import: StagedSkills }>('POST', '/ai/skills/imports', source),
    acceptSkills: (id: string) => json<{ imported: string[] }>('POST', staged(id), {}),
    dropSkills: (id: string) => request('DELETE', staged(id)),
    hooks: () => json<HookList>('GET', '/ai/hooks'),
    trustWorkspace: (trusted: boolean) => json<{ workspace: Workspace }>('PATCH', '/ai/workspace', { trusted }),
    data: () => json<DataInfo>('GET', '/ai/data'),
    backUp: () => json<{ backup: DataInfo['backups'][number] }>('POST', '/ai/data/backup', {}),
    config: () => json<{ path: string; config: ConfigInfo }>('GET', '/ai/config'),
    changeConfig: (patch: ConfigPatch) => json<{ config: ConfigInfo }>('PATCH', '/ai/config', patch),
    mediaModels: (kind: 'image' | 'video') => json<{ models: ModelInfo[] }>('GET', `/ai/${kind}/models`),
    doctor: () => json<{ findings: Finding[] }>('GET', '/ai/doctor'),
    health: () => json<{ version: string }>('GET', '/health'),
  }
}
