import type { Home } from '../config/home.ts'
import type { CheckedTeamOptions } from '../team/options.ts'
import type { ClusterSettings, ServerOptions } from './server.ts'

/** Adds the cluster settings of the team's database, and the isolation of its members on this machine. */
export async function withTeam(
  options: ServerOptions,
  team: CheckedTeamOptions,
  { home, env }: { home: Home; env: NodeJS.ProcessEnv },
): Promise<ServerOptions> {
  const { openIsolation } = await import('../isolation/open-isolation.ts')
  return {
    ...options,
    cluster: options.cluster ?? clusterSettings(team),
    isolation:
      options.isolation ??
      (team.isolation === undefined
        ? undefined
        : await openIsolation({ home: home.path, env, settings: team.isolation })),
  }
}

function clusterSettings({ databaseUrl, node = {}, derive }: CheckedTeamOptions): ClusterSettings | undefined {
  if (databaseUrl === undefined) return undefined
  const { drainSeconds, parkMinutes = 10, ...rest } = node
  return {
    ...rest,
    databaseUrl,
    secret: derive('requests between nodes').toString('base64url'),
    ...(drainSeconds !== undefined && { drainMs: drainSeconds * 1000 }),
    ...(parkMinutes > 0 && { parkMs: parkMinutes * 60_000 }),
  }
}
