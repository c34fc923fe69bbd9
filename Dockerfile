# Only the service and its runtime packages: no development dependency, no compiler.
#
# A tag can change its content. To pin the base, ask for its digest and give that in place of the tag:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… .
# Where no registry can be reached, deploy/image/base.sh makes the base.
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /portico
COPY package.json package-lock.json .npmrc nest-cli.json tsconfig.base.json tsconfig.build.json ./
COPY packages packages
COPY scripts scripts
COPY src src
# The image has a Node, so the one that npm would bring is left out, here and below.
RUN npm ci --omit=optional --ignore-scripts && npm run build

FROM ${NODE_IMAGE} AS modules
WORKDIR /portico
COPY package.json package-lock.json .npmrc ./
COPY packages packages
# TypeScript would come as an optional peer of a package.
RUN npm ci --omit=dev --omit=optional --omit=peer --ignore-scripts \
      --workspace=packages/portico --include-workspace-root \
    && rm -rf node_modules/typescript
# The SDKs of the secret stores that credential profiles name, at the versions that are tested:
# --build-arg SECRET_STORES="@aws-sdk/client-secrets-manager @azure/identity @azure/keyvault-secrets"
ARG SECRET_STORES=""
RUN [ -z "$SECRET_STORES" ] || npm install --no-save --save-prod --omit=dev --omit=optional --omit=peer --ignore-scripts \
      --workspace=packages/portico \
      $(node -p "process.argv.slice(1).map((name) => name + '@' + require('./package.json').devDependencies[name]).join(' ')" $SECRET_STORES)

FROM ${NODE_IMAGE}
ARG NODE_IMAGE
# --build-arg VERSION=$(node -p "require('./package.json').version") --build-arg REVISION=$(git rev-parse HEAD)
ARG VERSION=""
ARG REVISION=""
LABEL org.opencontainers.image.title="Portico" \
      org.opencontainers.image.description="A GraphQL facade over the session, authentication and project API of an analytics platform" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.base.name="$NODE_IMAGE"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 SESSION_STORE_PATH=/data/sessions.db
WORKDIR /portico
COPY --from=modules /portico/node_modules node_modules
COPY --from=modules /portico/packages/portico packages/portico
COPY --from=build /portico/packages/portico/dist packages/portico/dist
COPY --from=build /portico/public public
COPY --from=build /portico/dist dist
COPY package.json LICENSE schema.gql subgraph.gql ./
# `npm start` finds here that nothing has to be built.
COPY scripts/build.js scripts/build.js
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/livez').then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
CMD ["node", "--expose-gc", "--max-semi-space-size=32", "dist/main.js"]
