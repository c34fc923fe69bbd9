# Only the service: no embedded platform in production, no development dependency, no compiler.
FROM node:24-bookworm-slim AS build
WORKDIR /portico
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY tools tools
RUN npm ci
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
RUN npm run build

FROM node:24-bookworm-slim AS modules
WORKDIR /portico
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY tools tools
COPY scripts scripts
# Profiles that name a cloud's secret store need its SDK, and OpenTelemetry its packages: build with
# --build-arg TOOLS="tools/secret-stores tools/telemetry", or one of the two.
ARG TOOLS=""
# The Node of npm is not needed here.
RUN npm ci --omit=dev --omit=optional && node scripts/install.js $TOOLS

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 SESSION_STORE_PATH=/data/sessions.db
WORKDIR /portico
COPY --from=modules /portico/node_modules node_modules
COPY --from=modules /portico/packages packages
COPY --from=modules /portico/tools tools
COPY --from=build /portico/dist dist
COPY package.json LICENSE schema.gql subgraph.gql ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/livez').then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
CMD ["node", "--max-semi-space-size=32", "dist/main.js"]
