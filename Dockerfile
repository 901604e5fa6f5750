# syntax=docker/dockerfile:1

# The Node.js that package.json pins, and the bundle of the sources and their dependencies, compiled. For amd64 and arm64 alike:
#   docker buildx build --platform linux/amd64,linux/arm64 --tag gatehouse .
# Base images are named by the digest of their index for all architectures. `docker buildx imagetools inspect NAME` prints that of today.
FROM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS build
WORKDIR /gatehouse
COPY package.json package-lock.json .npmrc ./
# Every package has the hash of the lock file, Node.js for this architecture too; none runs a script.
RUN npm ci --ignore-scripts
# The binary alone, without headers and manuals.
RUN cp node_modules/node-linux-*/bin/node node
# Node.js is linked with libatomic, which the base image of the next stage lacks.
RUN mkdir lib && ldd node | awk '/libatomic/ { print $3 }' | xargs -r cp -L -t lib
RUN mkdir -p volume && mkdir -m 700 volume/data
COPY scripts scripts
COPY src src
COPY docs/clients docs/clients
COPY LICENSE ./
# One bundle of the sources and packages; of the packages only native code stays outside.
RUN ./node scripts/build-package.ts docs/clients LICENSE
RUN mkdir -p dist/node_modules/@node-rs && cp -r node_modules/@node-rs/bcrypt* dist/node_modules/@node-rs/
# The root of the running container is read-only, so the first start cannot keep what it compiles: the bundle is compiled here, into files
# that Node.js makes for their owner alone.
RUN ./node scripts/warm-up.ts dist && chmod -R a+rX dist/node_modules/.cache
# The command of `docker exec`, without a shell.
RUN printf '#!/usr/local/bin/node\nimport("/gatehouse/dist/gatehouse.js");\n' > gatehouse && chmod 755 gatehouse

# glibc, libstdc++ and certificates; no shell, no package manager. The user is 65532.
FROM gcr.io/distroless/cc-debian13:nonroot@sha256:e792ab3d241a468a4fd7519ddbbebe66b49b5f365771716ea688ad40b6c6f1c2
COPY --from=build /gatehouse/lib/ /usr/lib/
COPY --from=build /gatehouse/node /usr/local/bin/node
COPY --from=build /gatehouse/gatehouse /usr/local/bin/gatehouse
COPY --from=build --chown=65532:65532 /gatehouse/volume/ /
WORKDIR /gatehouse
COPY --from=build /gatehouse/dist/ ./
LABEL org.opencontainers.image.title=Gatehouse \
  org.opencontainers.image.description="OAuth 2.0 and OpenID Connect server with its own login pages" \
  org.opencontainers.image.licenses=Apache-2.0 \
  org.opencontainers.image.version=0.2.0 \
  org.opencontainers.image.base.name=gcr.io/distroless/cc-debian13:nonroot
# /data is the only folder that the server writes to, and only with the embedded store.
ENV HOST=0.0.0.0 DATABASE_URL=sqlite:/data/gatehouse.db
USER 65532:65532
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/gatehouse/dist/gatehouse.js"]
CMD ["serve"]
