# The control API. The ticket service has an image of its own (ticket/Dockerfile): it holds credentials, this does not.
FROM node:24-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY client/ client/
COPY dashboard/ dashboard/
RUN node dashboard/build.ts

FROM node:24-slim
# The same limits of memory as `npm run serve`: a small young generation and a heap that is collected early keep a flood of
# refused connections from growing the process (docs/security.md).
ENV NODE_ENV=production NODE_OPTIONS="--max-semi-space-size=8 --max-old-space-size=768" \
  NODE_COMPILE_CACHE=/tmp/node-compile-cache DATA_DIR=/data/farmgate
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Node is in the image, and the decoders of the download are not needed here. --ignore-scripts: the dashboard is built above.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force
COPY client ./client
COPY command ./command
COPY handlers ./handlers
COPY runtime ./runtime
COPY process ./process
COPY --from=dashboard /app/dist/dashboard ./dist/dashboard
RUN mkdir -p -m 700 /data/farmgate && chown node:node /data/farmgate
VOLUME /data/farmgate
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.API_PORT || 8080}/health`, { signal: AbortSignal.timeout(2000) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "runtime/node/serve.ts"]
