/**
 * Files that hold keys and passwords. Reading them needs approval, wherever they are. Globs match one name or the last
 * names of a path. Case-insensitive.
 */
export const secretFiles: readonly string[] = [
  '.env',
  '.env.*',
  '*.env',
  '.envrc',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.htpasswd',
  '.dockercfg',
  '.docker/config.json',
  '.vault-token',
  '.terraformrc',
  '.s3cfg',
  '.boto',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/gh/hosts.yml',
  '.config/hub',
  'credentials',
  'credentials.{json,yml,yaml,ini,toml,csv,xml}',
  'secrets.{json,yml,yaml,ini,toml}',
  'service-account*.json',
  'service_account*.json',
  'client_secret*.json',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  '*.agekey',
  'etc/shadow',
  'etc/gshadow',
  'proc/*/environ',
]

/** Public files with names similar to those. */
const openFiles: readonly string[] = [
  '.env.{example,sample,template,dist,defaults,schema}',
  '.env.*.{example,sample,template,dist}',
  '{example,sample,template}.env',
  '*.pub',
]

export const secretFolders: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.password-store',
  '.config/gcloud',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  'Library/Keychains',
]

/**
 * Paths whose content decides what runs or what is allowed later. Entries are names of files or folders, with
 * everything in them, or the last names of a path, in any location. Case-insensitive.
 */

/**
 * Writing here needs approval even if a rule allows it, so nobody can widen the rules by editing them. Includes our
 * home folder.
 */
export const strictPlaces: readonly string[] = ['.troupe', '.mcp.json']

/** Writing here needs approval even if edits are accepted. A rule that names the place allows it. */
export const guardedPlaces: readonly string[] = [
  '.git',
  '.gitconfig',
  '.gitmodules',
  '.hg',
  '.svn',
  '.agents',
  '.claude',
  '.claude.json',
  '.codex',
  '.cursor',
  '.gemini',
  '.vscode',
  '.idea',
  '.zed',
  '.devcontainer',
  '.husky',
  '.pre-commit-config.yaml',
  '.envrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pypirc',
  '.ripgreprc',
  '.vimrc',
  '.tmux.conf',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.inputrc',
  '.ssh',
  '.config/fish',
  '.config/git',
  '.config/autostart',
  '.config/systemd',
  'Library/LaunchAgents',
]

const isSecretFile = matcher(secretFiles, '$')
const isOpenFile = matcher(openFiles, '$')
const isInSecretFolder = matcher(secretFolders, '(?=/|$)')
const isStrict = matcher(strictPlaces, '(?=/|$)')
const isGuarded = matcher(guardedPlaces, '(?=/|$)')

/** Returns the part of a path that makes it secret (`.env`, `.ssh`), or undefined. Expects `/` as the separator. */
export function secretIn(path: string): string | undefined {
  return isInSecretFolder(path) ?? (isOpenFile(path) === undefined ? isSecretFile(path) : undefined)
}

export function isSecretName(name: string): boolean {
  return secretIn(name) !== undefined
}

/** Returns the part of a path that makes it protected against writes, or undefined. */
export function protectedIn(path: string): { place: string; strict: boolean } | undefined {
  const strict = isStrict(path)
  if (strict !== undefined) return { place: strict, strict: true }
  const guarded = isGuarded(path)
  return guarded === undefined ? undefined : { place: guarded, strict: false }
}

/** Builds one expression for the whole list, so each path is tested once. */
function matcher(globs: readonly string[], end: string): (path: string) => string | undefined {
  const expression = new RegExp(`(?:^|/)(${globs.map(globSource).join('|')})${end}`, 'i')
  return (path) => expression.exec(path)?.[1]
}

function globSource(glob: string): string {
  return glob
    .replace(/[.+^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '[^/]*')
    .replaceAll('{', '(?:')
    .replaceAll('}', ')')
    .replaceAll(',', '|')
}
