# A node of Troupe in team mode. Build it in the folder of this file: docker build -t troupe .
FROM node:24-bookworm-slim AS build
WORKDIR /app
ENV CI=1
COPY package.json package-lock.json .npmrc ./
COPY packages/agent/package.json packages/agent/
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/command-policy/package.json packages/command-policy/
COPY packages/core/package.json packages/core/
COPY packages/documents/package.json packages/documents/
COPY packages/protocol/package.json packages/protocol/
COPY packages/server/package.json packages/server/
COPY packages/web/package.json packages/web/
RUN npm ci --no-audit --no-fund
COPY . .
# Builds the page and bundles the program.
RUN node scripts/setup.mjs && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
# bubblewrap confines commands, tini ends orphaned processes, pg_dump makes backups.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git postgresql-client tini \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 10001 troupe \
  && useradd --uid 10001 --gid troupe --create-home troupe \
  && install --directory --owner=troupe --group=troupe /data /workspaces
COPY --from=build /app /app
RUN ln -s /app/scripts/backup.sh /usr/local/bin/troupe-backup && ln -s /app/scripts/restore.sh /usr/local/bin/troupe-restore
ENV NODE_ENV=production TROUPE_HOME=/data
# The launcher of the checkout installs packages. The image has them.
RUN printf '#!/bin/sh\nexec node --conditions=troupe-source --disable-warning=ExperimentalWarning /app/packages/cli/bin/start.mjs "$@"\n' > /usr/local/bin/troupe \
  && chmod 755 /usr/local/bin/troupe
USER 10001:10001
WORKDIR /workspaces
VOLUME ["/data", "/workspaces"]
EXPOSE 4880
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4880/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["troupe", "serve", "--team", "--host", "0.0.0.0", "--port", "4880"]
