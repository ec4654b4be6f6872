import { defineCommand } from '../shared/command.ts'

const help = `Troupe: a workspace where agents use real tools under your control.

  troupe [serve]            start the workspace and open it in the browser
    --port <n>              default 4880; 0 picks a free port (also TROUPE_PORT)
    --host <address>        default 127.0.0.1; other than loopback addresses need --team
    --no-open               do not open the browser
    --json                  print one line {"url", "port", "pid", "workspace"} when ready
    --workspace <folder>    folder to work in; default: the current one
    --allow-bypass          allow chats to use bypass mode, which never asks for approval
    --team                  serve several people, with accounts (see docs/guides/team.md)

  troupe -p "…"             answer one prompt and exit; piped input is added to the prompt
    --output-format <f>     text (default), json (one object) or stream-json (one chunk per line)
    -m, --model <p/m>       provider/model (also TROUPE_MODEL)
    -c, --continue          continue the newest chat of this folder
    -r, --resume <id>       continue this chat
    --max-steps <n>         maximum number of model calls
    --mode <m>              default, accept-edits or plan; bypass with --allow-bypass
    --allow, --deny, --ask <rule>
                            add a rule for this run only, e.g. --allow "Bash(npm test)"; repeatable
    --file <path>           attach a file of any type; repeatable
    --workspace <folder>    folder to work in; default: the current one
    --worktree              work on a new branch in a separate git worktree
    --base <branch>         branch or commit to start it from; default: the current branch
    --server <url>          answer on a team's server (see troupe login); --workspace then names a folder there

  troupe login <url>        sign in to a team's server: confirm a code in the browser
  troupe logout <url>       sign out there

  troupe trust [folder] [--off]
                            trust this folder, or stop trusting it. In a trusted folder, its tools, agents, rules,
                            hooks, skills, commands and notes take effect, and you can trust its MCP servers
  troupe projects [list]    list the projects of this folder; --json
  troupe projects add <folder> [--name <name>]
                            make a folder inside this one a project
  troupe projects remove <folder|id>
                            forget a project; its files and chats stay
  troupe rules [list]       list the permission rules; --json, --session <id>
  troupe rules add [--deny|--ask] [--project|--session <id>] <rule>
                            e.g. troupe rules add "Bash(npm run *)"; by default an allow rule that always applies
  troupe rules remove <rule>
  troupe rules test [--deny|--ask] <rule>
                            show which of the last 1,000 tool calls in this folder a rule would change; saves nothing
  troupe rules explain "<command>"
  troupe rules explain --jsonl
                            show the decision for a command, or for each {"tool", "input"} line on stdin, and why
    --mode, --allow, --deny, --ask, --sandbox, --no-sandbox
                            override the settings of this folder
  troupe skills [list]      list the skills, their files and which skills they override; --json
  troupe skills import <folder|zip|tar> [--trust]
                            show the skills in it; --trust installs them
  troupe complete <word>    complete a word that starts with / or @, one result per line; --json
    --bash                  print the bash completion script: eval "$(troupe complete --bash)"
  troupe mcp                run as an MCP server on stdin and stdout: offer agents, selected tools and your commands
                            to other programs
    --http [--port <n>]     serve at http://127.0.0.1:<n>/mcp instead, protected by the token in the home folder
    --agents <names>        agents to offer; default: all
    --tools <names>         tools to offer; default: none
    --allow, --deny <rule>  add a rule for these calls only; calls that would need approval are denied
    --session <id>          a chat that agents may continue, in addition to those they start
    -m, --model <p/m>, --workspace <folder>
  troupe doctor [--json] [--full]
                            check this machine and show how to fix problems; --full checks the whole database
  troupe debug <sessionId> [messageId] [--json]
                            show the messages, the prompt the model got and the log of the run
  troupe export <sessionId> [--format md|json|html] [--branch <messageId>] [--lang en|zh] [-o <file>]
                            export a chat as Markdown, as JSON that can be imported, or as an HTML replay
  troupe feedback [--rating up|down] [--session <id>]
                            list the answers you rated; --json prints one object per line
  troupe import <file|folder>
                            import exported chats, or a ChatGPT, Claude, LibreChat or Open WebUI export (zip or JSON)
  troupe migrate --to <database>
  troupe migrate --from <database> --to <folder>
                            copy the chats and files of the home into a Postgres database, or back into a new home.
                            <database> is postgres://user@host/name with the password in PGPASSWORD, or "postgres" for
                            the URL in TROUPE_DATABASE_URL or in the file that TROUPE_DATABASE_URL_FILE names
    --place <name>          the disk with the folders of the home, as servers name it; default: main
  troupe secrets rotate     team mode: encrypt all stored secrets with the current TROUPE_SECRET_KEY
  troupe person export <email|id> [-o <file>]
                            team mode: write everything about a member as JSON Lines
  troupe person delete <email|id> --yes [--email <address>]
                            team mode: delete everything about a member
  troupe help, troupe version

With -p, Troupe denies every tool call that needs approval and reports this to the agent.
Exit codes: 0 success, 1 the run failed, 2 wrong usage, 130 interrupted.
Data is stored in $TROUPE_HOME (default ~/.troupe). TROUPE_DEBUG=1 shows full error details.
`

export const command = defineCommand({
  options: {},
  async run(_args, { stdout }) {
    stdout.write(help)
    return 0
  },
})
