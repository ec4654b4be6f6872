/** The settings as `GET /ai/config` tells them. */
export interface ConfigInfo {
  /** Null: the first that can be used. */
  model: string | null
  /** The model that the environment names; it goes before. */
  environmentModel: string | null
  /** Null: all. */
  useTools: string[] | null
  recovery: 'continue' | 'wait'
  /** Who titles sessions: a cheap model after the first answer, or their first words. */
  titles: 'model' | 'words'
  limits: Record<Limit, number | null>
  media: Record<'image' | 'video', string | null>
  /** The browser of agents: null where a Chromium of this machine is looked for, and only the public web is reached. */
  browser: { path: string | null; allow: string[] | null }
  /** Null: the model of the session searches. Its key never comes here. */
  search: { provider: string; baseURL: string | null; hasKey: boolean } | null
}

export type Limit = 'steps' | 'tokens' | 'seconds'

/** What is not named stays as it is; null takes a setting away. */
export interface ConfigPatch {
  model?: string | null
  useTools?: string[] | null
  recovery?: ConfigInfo['recovery']
  titles?: ConfigInfo['titles']
  limits?: Record<Limit, number | null>
  media?: Partial<ConfigInfo['media']>
  browser?: ConfigInfo['browser']
  search?: { provider: string; baseURL: string | null; apiKey?: string } | null
}
