# Two images: the hub (`docker build --target hub -t clawport .`, see docs/hub.md) and the app proxy
# (`docker build -t clawport-proxy .`, see docs/proxy.md).
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
COPY console ./console
COPY openclaw-plugin ./openclaw-plugin
COPY data ./data
COPY LICENSE ./
# Not `npm run`: that would look for the Node that the project brings for development.
RUN node scripts/build.ts && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim AS program
ENV NODE_ENV=production CLAWPORT_HOME=/var/lib/clawport
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY --from=build /build/data ./data
COPY --from=build /build/LICENSE ./
RUN install -d -m 0700 -o node -g node /var/lib/clawport && ln -s /app/dist/cli/main.js /usr/local/bin/clawport
USER node
VOLUME /var/lib/clawport

FROM program AS hub
EXPOSE 8765
# With the hub's own token: a request without one would be logged.
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "-e", "const authorization = 'Bearer ' + fs.readFileSync(process.env.CLAWPORT_HOME + '/mcp-token.txt', 'utf8').trim(); fetch('http://127.0.0.1:8765/metrics', { headers: { authorization } }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["up", "--host", "0.0.0.0", "--port", "8765", "--allow-remote"]

FROM program AS proxy
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8000/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/main.js", "proxy"]
CMD ["--host", "0.0.0.0", "--port", "8000"]
