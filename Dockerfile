# syntax=docker/dockerfile:1

# Dependencies, the Node.js that package.json pins, and the compiled sources. For amd64 and arm64 alike:
#   docker buildx build --platform linux/amd64,linux/arm64 --tag gatehouse .
# Base images are named by the digest of their index for all architectures. `docker buildx imagetools inspect NAME` prints that of today.
FROM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS build
WORKDIR /gatehouse
COPY package.json package-lock.json .npmrc ./
# Every package has the hash of the lock file, Node.js for this architecture too; none runs a script.
RUN npm ci --omit=dev --ignore-scripts
# The binary alone, without headers and manuals.
RUN mv node_modules/node-linux-*/bin/node node && rm -r node_modules/node-linux-* node_modules/.bin
# Of the packages only what runs: no types, sources, maps and manuals.
RUN find node_modules -type f -name '*.ts' -delete -o -type f -name '*.[cm]ts' -delete -o -type f -name '*.map' -delete -o -type f -name '*.md' -delete
# zod, @simplewebauthn and nodemailer come twice, as modules and for require(): only the modules are loaded. Of @peculiar and asn1js it is the other
# way round. yaml and x509 come for browsers too, zod with its former version, qr with what reads codes.
RUN find node_modules/zod -type f -name '*.cjs' -delete \
  && rm -r node_modules/@simplewebauthn/server/script node_modules/nodemailer/dist/cjs node_modules/yaml/browser node_modules/@peculiar/x509/build/x509.js \
    node_modules/@peculiar/*/build/es2015 node_modules/@peculiar/x509/build/x509.es.js node_modules/asn1js/build/index.es.js \
    node_modules/zod/v3 node_modules/qr/decode.js node_modules/qr/dom.js
# Node.js is linked with libatomic, which the base image of the next stage lacks.
RUN mkdir lib && ldd node | awk '/libatomic/ { print $3 }' | xargs -r cp -L -t lib
RUN mkdir -p volume && mkdir -m 700 volume/data
COPY scripts/warm-up.ts scripts/
COPY src src
# The root of the running container is read-only, so the first start cannot keep the sources that it compiles: they are compiled here,
# into files that Node.js makes for their owner alone.
RUN ./node scripts/warm-up.ts && chmod -R a+rX node_modules/.cache

# glibc, libstdc++ and certificates; no shell, no package manager. The user is 65532.
FROM gcr.io/distroless/cc-debian13:nonroot@sha256:e792ab3d241a468a4fd7519ddbbebe66b49b5f365771716ea688ad40b6c6f1c2
COPY --from=build /gatehouse/lib/ /usr/lib/
COPY --from=build /gatehouse/node /usr/local/bin/node
COPY --from=build --chown=65532:65532 /gatehouse/volume/ /
WORKDIR /gatehouse
COPY package.json LICENSE ./
COPY --from=build /gatehouse/node_modules node_modules
COPY --from=build /gatehouse/src src
COPY docs/clients docs/clients
# /data is the only folder that the server writes to, and only with the embedded store.
ENV HOST=0.0.0.0 DATABASE_URL=sqlite:/data/gatehouse.db
USER 65532:65532
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/gatehouse/src/gatehouse.ts"]
CMD ["serve"]
