# The control API with the dashboard. The ticket service has an image of its own (ticket/Dockerfile), because it holds
# the credentials and this one does not.

# Only the built page and programs go into the image, without sources and the packages that build them.
FROM node:24-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY deploy/images/keep-packages.cjs /
RUN node /keep-packages.cjs vite preact @preact/signals lean-qr uplot marked && npm install --ignore-scripts
COPY client/ client/
COPY dashboard/ dashboard/
COPY docs/ docs/
COPY handlers/game-moment.ts handlers/key-holder.ts handlers/problem-table.ts handlers/
RUN node dashboard/build.ts

# The programs as JavaScript, which needs 50 MiB less memory than the sources.
FROM node:24-slim AS programs
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/images/keep-packages.cjs /
RUN node /keep-packages.cjs esbuild @hono/node-server @hono/node-ws @valibot/to-json-schema aws4fetch birpc commander \
    croner hono ipaddr.js jsonc-parser oauth4webapi pino prom-client qrcode-terminal semver string-width valibot ws \
    yauzl yazl \
  && npm install --ignore-scripts
COPY deploy/programs/ deploy/programs/
COPY bridges/ bridges/
COPY cli/ cli/
COPY client/ client/
COPY handlers/ handlers/
COPY lib/ lib/
COPY runtime/ runtime/
COPY services/ services/
RUN node deploy/programs/build.ts

# The packages that the control API imports. --ignore-scripts: none of them needs a script, and the dashboard is built
# above. No program reads what is deleted: types, source maps, tests, pages, and the other builds of the viewer.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/images/keep-packages.cjs /
RUN node /keep-packages.cjs age-encryption pino-pretty swagger-ui-dist \
  && npm install --ignore-scripts \
  && find node_modules -type d -name test -prune -exec rm -rf {} + \
  && find node_modules -type f -regex '.*\(\.d\.[cm]?ts\|\.map\|\.md\|/swagger-ui-es-.*\)' -delete

FROM node:24-slim
# The same limits of memory as `npm run serve`: a small young generation and a heap that is collected early keep a flood of
# refused connections from growing the process (docs/security.md).
ENV NODE_ENV=production NODE_OPTIONS="--max-semi-space-size=8 --max-old-space-size=768" \
  NODE_COMPILE_CACHE=/tmp/node-compile-cache DATA_DIR=/data/farmgate
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY --from=programs /app/built ./built
COPY --from=dashboard /app/dist/dashboard ./dist/dashboard
# The command line, for `docker compose exec api farmgate status`.
RUN printf '#!/bin/sh\nexec node /app/built/cli/main.js "$@"\n' > /usr/local/bin/farmgate && chmod 755 /usr/local/bin/farmgate
# A new volume gets the owner and mode of its folder here.
RUN mkdir -p -m 700 /data/farmgate && chown node:node /data/farmgate
VOLUME /data/farmgate
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.API_PORT || 8080}/health`, { signal: AbortSignal.timeout(2000) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "built/runtime/node/serve.js"]
