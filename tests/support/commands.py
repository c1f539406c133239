"""Commands as agents type them, and what of them no snapshot can take back."""

from __future__ import annotations

from textwrap import dedent


def _lines(text: str) -> list[str]:
    return [line.strip() for line in dedent(text).strip().splitlines()]


DOES = {
    "push": _lines(r"""
        git push
        git push origin main --force-with-lease
        git -C dir push
        git -c user.name=x push
        git --git-dir=.git --work-tree=. push --tags
        git --git-dir .git push
        git lfs push origin main
        git svn dcommit
        git annex sync
        hg push
        dvc push
        jj git push -b main
        svn commit -m done
        svn ci
        docker push registry/image:1
        docker --context prod push registry/image
        podman push image
        helm push chart oci://registry
        docker image push x
        docker compose push
        docker build -t x --push .
        docker buildx build --push -t x .
        docker-compose -f prod.yml push
        skopeo copy docker://a docker://b
        crane push image.tar registry/x
        cosign sign registry/x
        /usr/bin/git push
        \git push
        'git' "push"
        g''it pu"sh"
        cd x && git push origin main
        git add -A; git commit -m "a; b" ; git push
        true || git push
        git pull && (cd sub && git push)
        { git push; }
        git push &
        if git diff --quiet; then echo same; else git push; fi
        for r in a b; do git push $r main; done
        while ! git push; do sleep 1; done
        case $1 in release) git push ;; esac
        out=$(git push 2>&1)
        echo "$(git push)"
        echo "a ${x:-$(git push)} b"
        echo `git push`
        FOO=bar BAZ="a b" git push
        sudo git push
        sudo -u deploy -- git push
        env -u X FOO=1 git push
        nohup git push > log 2>&1 &
        time git push
        timeout 60 git push
        timeout -s KILL 60 nice -n 5 git push
        xargs -n 1 git push < remotes
        command git push
        exec git push
        bash -c 'git push'
        bash -lc "cd x && git push"
        bash -euo pipefail -c 'git push'
        sh -c "bash -c 'git push'"
        eval "git push"
        echo 'git push' | sh
        printf '%s\n' 'git push' | bash -s
        git push # with a word
        git status | tee log && git push
        git push 2>&1 | tail -3
        diff <(git push) x
        find . -name .git -execdir git push ;
        trap 'git push' EXIT
        f() { git push; }; f
        uv run git push
        docker exec -it box git push
    """),
    "publish": _lines("""
        npm publish
        npm publish --access public
        npm --prefix pkg publish
        pnpm publish
        yarn publish
        bun publish
        npm deprecate x@1 "broken"
        yarn npm publish
        lerna publish
        npx lerna publish
        npx --yes changeset publish
        cargo publish
        cargo yank --version 1.0.0
        gem push x.gem
        twine upload dist/*
        python -m twine upload dist/*
        python3.12 -m twine upload dist/*
        uv publish
        poetry publish --build
        flit publish
        hatch publish
        maturin upload x.whl
        python setup.py sdist upload
        mvn -B clean deploy
        ./gradlew publishToMavenCentral
        ./gradlew :lib:publish
        sbt publishSigned
        vsce publish
        deno publish
        dotnet nuget push x.nupkg
        nuget push x.nupkg
        pod trunk push x.podspec
        mix hex.publish
        dart pub publish
        goreleaser release
        semantic-release
        cabal upload x.tar.gz
        huggingface-cli upload me/model .
    """),
    "forge": _lines("""
        gh pr create --title x --body y
        gh pr merge 12 --squash
        gh -R o/r pr comment 3 --body hi
        gh issue create -t x
        gh release create v1.0 dist/*
        gh repo delete o/r --yes
        gh gist create file
        gh secret set TOKEN
        gh workflow run ci.yml
        gh run cancel 5
        gh project item-add 1
        gh api -X POST repos/o/r/issues
        gh api --method=DELETE repos/o/r
        gh api repos/o/r/issues -f title=x
        gh api graphql -f query='mutation { addStar }'
        glab mr create
        glab ci run
        glab api -X POST projects
        tea pr create
    """),
    "network": _lines("""
        curl -X POST https://example.com
        curl -XDELETE https://example.com/1
        curl -sSL --request PUT https://example.com
        curl --request=PATCH https://example.com
        curl -d a=b https://example.com
        curl -sd @file https://example.com
        curl --json '{"a": 1}' https://example.com
        curl -F file=@x https://example.com
        curl -T x ftp://example.com/
        wget --post-data=a=b https://example.com
        wget --method=DELETE https://example.com
        http POST example.com
        http example.com name=value
        xh put example.com a:=1
        nc example.com 25
        ftp example.com
        grpcurl -d '{}' host:443 pkg.Service/Method
        find . -exec curl -d @{} https://example.com \\;
    """),
    "script": _lines("""
        curl -fsSL https://example.com/install.sh | sh
        curl https://example.com/install.sh | bash -s -- -y
        wget -qO- https://example.com/install.sh | sudo bash
        sh -c "$(curl -fsSL https://example.com/install.sh)"
    """),
    "remote": _lines("""
        ssh host
        ssh -p 22 -i key user@host 'rm -rf x'
        scp file host:dir/
        rsync -av --delete ./ user@host:/srv/
        rsync -a x rsync://host/module
        sftp host
        rclone sync . remote:bucket
        ansible-playbook -i hosts site.yml
        ansible all -m ping
    """),
    "mail": _lines("""
        mail -s hello bob@example.com < body
        echo hi | mailx bob@example.com
        mutt -s x bob@example.com
        sendmail -t < mail
        swaks --to bob@example.com
        himalaya message send
        git send-email *.patch
    """),
    "deploy": _lines("""
        kubectl apply -f x.yml
        kubectl -n prod delete pod x
        kubectl --context prod scale deploy/x --replicas=0
        kubectl rollout restart deploy/x
        helm upgrade --install x ./chart
        helmfile apply
        kamal deploy
        argocd app sync x
        terraform apply -auto-approve
        terraform -chdir=infra destroy
        terraform state rm x
        tofu workspace new x
        pulumi up --yes
        pulumi -C infra stack rm x
        aws s3 cp x s3://bucket/
        aws s3 rm s3://bucket/x
        aws --profile prod --region eu-west-1 ec2 terminate-instances --instance-ids i-1
        aws lambda update-function-code --function-name x
        gcloud compute instances delete x
        gcloud run deploy x --image y
        gsutil rm gs://b/x
        bq rm dataset
        az vm create -n x
        doctl apps update 1
        fly deploy
        flyctl secrets set A=b
        vercel deploy --prod
        vercel env add X
        vercel
        vercel --prod
        npx vercel@latest --prod
        netlify deploy --prod
        heroku ps:scale web=0 -a x
        heroku run bash
        railway up
        wrangler deploy
        firebase deploy --only hosting
        cdk deploy
        wrangler secret put X
        supabase db push
        vault write secret/x a=b
        consul kv put a b
        make deploy
        make -C infra deploy ENV=prod
        just release
        npm run deploy
        npm run deploy:prod
        yarn deploy
    """),
    "database": _lines("""
        psql -c 'drop table users'
        psql -h db -U me app -c "insert into a values (1)"
        psql app -f migrate.sql
        psql app < dump.sql
        psql -c 'select 1; delete from a'
        psql -c 'with x as (delete from a returning *) select * from x'
        PGPASSWORD=x psql -c 'update a set b = 1'
        mysql -u root -e 'truncate a'
        docker exec db psql -U me -c 'drop table a'
        docker compose exec -T db psql -c 'drop table a'
        clickhouse client -q 'drop table a'
        mongosh --eval 'db.a.drop()'
        redis-cli -h host flushall
        redis-cli SET a b
        dropdb app
        pg_restore -d app dump
        mysqladmin drop app
        influx delete --bucket x
        alembic upgrade head
        flask db upgrade
        prisma migrate deploy
        npx prisma db push
        npx knex migrate:latest
        python manage.py migrate
        ./manage.py flush
        rails db:migrate
        bundle exec rake db:reset
        php artisan migrate
        flyway -url=x migrate
        dbt run
    """),
    "container": _lines("""
        docker rm -f x
        docker volume rm data
        docker system prune -af
        docker compose down -v
        docker-compose down
        podman rmi x
        minikube delete
        kind delete cluster
        kind cluster delete
        virsh undefine x
    """),
    "machine": _lines("""
        sudo systemctl restart nginx
        systemctl --user enable x
        service nginx stop
        launchctl unload x.plist
        crontab cron.txt
        crontab -r
        echo x | at now
        apt-get install -y jq
        sudo apt install jq
        dpkg -i x.deb
        rpm -e x
        brew install jq
        apk add curl
        pacman -S jq
        pip install --user x
        sudo pip3 install --break-system-packages x
        pipx install x
        uv tool install ruff
        npm install -g x
        npm i --global x
        npm config set registry x --global
        yarn global add x
        npm config set registry x --location=user
        cargo install ripgrep
        go install x@latest
        rustup update
        conda install x
        git config --global user.name Bob
        git config --global --unset user.name
        useradd bob
        mount /dev/sda1 /mnt
        mkfs.ext4 /dev/sda1
        dd if=x of=/dev/sda
        sysctl -w a=1
        iptables -F
        ufw allow 22
        hostnamectl set-hostname x
        nmcli connection up x
        ip link set eth0 down
        shutdown now
        defaults write com.apple.dock x 1
        modprobe x
        gpg --import key
    """),
    "process": _lines("""
        kill 1234
        kill -9 1234
        pkill -f server
        killall node
        pm2 delete x
        tmux kill-session -t x
    """),
    "git": _lines("""
        git branch -D old
        git tag v1.0
        git tag -a v1.0 -m "first"
        git tag -d v1.0
        git stash
        git stash -u
        git stash pop
        git stash drop
        git reflog expire --expire=now --all
        git gc --prune=now
        git update-ref -d refs/heads/x
        git filter-branch --all
        git remote add x url
        git remote set-url origin url
        git worktree remove x
        git notes add -m x
        git config user.email x@example.com
        git config --unset a.b
        git submodule deinit x
        git update-index --skip-worktree x
        bfg --delete-files x
    """),
    "files": _lines("""
        git clean -fdx
        git clean -f -X
        shred -u secret
    """),
}
"""One effect of this kind each."""

DOES_NOT = _lines(r"""
    git push --dry-run
    git push -n
    git push --help
    git -C dir status
    git log --oneline
    git fetch
    git pull
    git commit -m "git push"
    git commit -m 'then; git push && npm publish'
    git commit -m "fix $(date)"
    git commit -am git\ push
    git lfs push --dry-run origin
    git lfs ls-files
    git svn dcommit -n
    git svn fetch
    git annex list
    git branch
    git branch -a
    git tag
    git tag -l 'v*'
    git tag --list
    git stash list
    git stash show -p
    git reflog
    git reflog expire --dry-run
    git gc
    git prune -n
    git filter-repo --analyze
    git remote -v
    git worktree list
    git notes show
    git config user.name
    git config --get user.name
    git config get user.name
    git config --global user.name
    git config --global --list
    git config --list
    git submodule update --init
    git update-index --refresh
    git clean -fd
    git clean -ndx
    git send-email --dry-run x
    git reset --hard HEAD~1
    git checkout -b x
    git rebase main
    git-filter-repo --help
    echo "git push"
    echo git push
    echo 'git push' > run.sh
    echo "a ; git push"
    printf '%s' "git push" | tee notes
    grep -r "git push" .
    rg 'npm publish|git push' docs
    # git push
    ls # git push
    cat <<< "git push"
    alias p='git push'
    x='git push'
    command -v git push
    type git
    which git push
    man git push
    (( x << 2 )); echo git push
    echo $(( 1 << 2 )); echo git push
    bash script.sh git push
    bash -n 'git push'
    sh run.sh -c 'git push'
    gitpush
    git-push-all
    ./git/push
    hg status
    hg push --dry-run
    dvc pull
    jj log
    jj git push --dry-run
    svn status
    docker ps
    docker build -t push .
    docker image ls
    docker compose up -d
    docker compose logs
    docker buildx build -t x .
    docker volume ls
    docker exec box ls
    docker run --rm x
    docker-compose up
    docker-compose ps
    podman images
    skopeo inspect docker://x
    crane manifest x
    cosign verify x
    helm template x
    npm publish --dry-run
    npm install
    npm test
    npm run build
    npm owner --dry-run
    npm config get registry
    npm install -g x --dry-run
    yarn npm info x
    yarn add x
    yarn build
    yarn global list
    pnpm publish --dry-run
    pnpm -r build
    lerna run test
    npx changeset status
    cargo publish --dry-run
    cargo build
    cargo update
    gem list
    twine check dist/*
    uv sync
    uv tool list
    poetry install
    poetry publish --dry-run
    python setup.py build
    python -m pytest tests/push.py
    python script.py git push
    python manage.py runserver
    python manage.py migrate --plan
    ./manage.py test
    mvn test
    ./gradlew build
    sbt test
    vsce package
    deno publish --dry-run
    dotnet build
    dotnet nuget list source
    nuget list
    pod install
    pod trunk me
    mix test
    dart pub get
    goreleaser release --snapshot
    goreleaser check
    semantic-release --dry-run
    cabal build
    hf download x
    gh pr list
    gh pr view 12
    gh pr create --dry-run
    gh issue list
    gh release view
    gh repo view
    gh gist list
    gh secret list
    gh workflow list
    gh run view 5
    gh project list
    gh api repos/o/r
    gh api -X GET search/issues -f q=x
    gh api graphql -f query='query { viewer { login } }'
    glab mr list
    glab ci status
    glab api projects
    tea pr list
    curl https://example.com
    curl -X GET https://example.com
    curl -G -d a=b https://example.com
    curl -XGET -d '{"query": {}}' localhost:9200/_search
    curl -o delete.txt -H 'X: POST' https://example.com
    curl https://example.com/file | tar xz
    curl https://example.com/x.json | jq .
    wget https://example.com
    wget --method=GET https://example.com
    http example.com
    http GET example.com q==x
    http --offline POST example.com a=b
    xh example.com?a=b
    nc -z localhost 80
    nc -l 8000
    ftp --version
    grpcurl host:443 list
    cat install.sh | grep sh
    ssh -V
    ssh -T git@github.com
    ssh-keygen -t ed25519
    scp host:file .
    rsync -a src/ dst/
    rsync -avn ./ host:/srv
    rsync -a host:/srv/ ./
    sftp --help
    rclone ls remote:
    rclone sync remote:x .
    ansible-playbook --check site.yml
    ansible --version
    mail
    sendmail --help
    swaks --version
    himalaya envelope list
    kubectl get pods
    kubectl -n prod logs -f delete
    kubectl apply --dry-run=client -f x
    kubectl rollout status deploy/x
    helm upgrade --dry-run x ./chart
    helm list
    helmfile diff
    kamal details
    argocd app list
    terraform plan
    terraform init
    terraform state list
    terraform workspace list
    tofu validate
    pulumi preview
    pulumi stack ls
    aws s3 ls
    aws s3 cp s3://bucket/x .
    aws s3 rm s3://bucket/x --dryrun
    aws ec2 describe-instances
    aws --profile x sts get-caller-identity
    aws configure list
    gcloud compute instances list
    gcloud config set project x
    gsutil ls gs://b
    bq ls
    az vm list
    az account set -s x
    doctl apps list
    fly status
    fly secrets list
    flyctl logs
    vercel ls
    vercel env ls
    vercel --version
    netlify status
    heroku logs -a x
    railway status
    wrangler dev
    wrangler kv list
    firebase emulators:start
    cdk diff
    supabase db diff
    vault read secret/x
    consul kv get a
    make
    make test
    make -n deploy
    just --list
    just test
    npm run deploy-docs --help
    npm run lint
    psql -c 'select 1'
    psql -c "SELECT * FROM a WHERE b = 'x'"
    psql -c '\dt'
    psql -l
    psql --version
    mysql -e 'show tables'
    clickhouse client -q 'select 1'
    mongosh --version
    redis-cli get a
    redis-cli -h host PING
    dropdb --help
    pg_restore --version
    mysqladmin status
    influx query x
    alembic history
    alembic upgrade head --sql
    flask run
    flask db history
    prisma generate
    npx prisma db pull
    npx prisma migrate dev --create-only
    npx knex --version
    rails server
    bundle exec rake test
    php artisan serve
    flyway info
    dbt compile
    minikube status
    kind get clusters
    k3d cluster list
    virsh list
    systemctl status nginx
    systemctl is-active nginx
    systemctl list-units
    service nginx status
    launchctl list
    crontab -l
    at -l
    apt list
    apt-get install -s jq
    dpkg -l
    rpm -qi x
    brew list
    brew info install
    apk info
    pacman -Ss jq
    pacman -Q
    pip install -r requirements.txt
    pip list
    pip3 show x
    pipx list
    go build ./...
    rustup show
    conda list
    conda create -n x --dry-run
    useradd --help
    mount
    fdisk --help
    dd if=/dev/zero of=file
    sysctl -a
    iptables -L
    ufw status
    nft list ruleset
    hostnamectl status
    nmcli connection show
    ip addr
    ip route show
    shutdown --help
    defaults read x
    modprobe --help
    gpg --list-keys
    gpg --verify x.sig
    kill -0 1234
    kill -l
    pm2 list
    tmux ls
    shred --help
    ls
    pytest -q
    true
""")
"""None of these has an effect."""

IN_LINES = {
    "git add .\ngit push\n": ["push"],
    "git commit -m 'one\ngit push\ntwo'": [],
    "cat > notes <<EOF\ngit push\nEOF": [],
    "cat > notes <<'EOF'\n$(git push)\nEOF\nls": [],
    "cat > notes <<EOF\n$(git push)\nEOF\nls": ["push"],
    "cat > notes <<EOF\n`git push`\nEOF": ["push"],
    "cat > notes <<EOF\n\\$(git push) \\`git push\\`\nEOF": [],
    "cat <<-EOF\n\tgit push\n\tEOF\ngit push": ["push"],
    "cat <<A <<B\ngit push\nA\ngit push\nB\nls": [],
    "cat <<EOF && git push\ntext\nEOF": ["push"],
    "bash <<EOF\ngit push\nEOF": ["push"],
    "bash -s <<'EOF'\ncd x\ngit push\nEOF": ["push"],
    "cat <<EOF | bash\ngit push\nEOF": ["push"],
    "cat <<EOF |\ngit push\nEOF\nbash": ["push"],
    "cat <<EOF | grep x\ngit push\nEOF": [],
    "python <<EOF\ngit push\nEOF": [],
    "psql <<EOF\nselect 1;\nEOF": [],
    "psql <<EOF\ndrop table a;\nEOF": ["database"],
    "git commit -m \"$(cat <<'EOF'\nfeat: it's done; git push\n\nnpm publish\nEOF\n)\"": [],
    "git commit -m \"$(cat <<'EOF'\nfeat: \"quoted\"\nEOF\n)\" && git push": ["push"],
    "gh pr create --title 'x' --body \"$(cat <<'EOF'\ngit push\nEOF\n)\"": ["forge"],
    "git \\\n  push \\\n  origin": ["push"],
    "echo a \\\n; git push": ["push"],
    "if true\nthen\n  git push\nfi": ["push"],
    "case $x in\n  a) ls ;;\n  b|c) git push ;;\nesac\nnpm publish": ["push", "publish"],
    "x=$(case $y in a) echo b;; esac)\ngit push": ["push"],
    "function go {\n  git push\n}": ["push"],
    "# don't\ngit push": ["push"],
    "echo it's; git push": ["push"],
    "echo \"git push": ["push"],
    "git push && npm publish && curl -d x https://example.com": ["push", "publish", "network"],
    "echo ${#x} ${x#y}; git push": ["push"],
    "echo $'it\\'s'; git push": ["push"],
    "[[ $a < b && -n $c ]] && git push": ["push"],
    "ls 2>/dev/null >&2 &>log; git push": ["push"],
}  # fmt: skip
"""Longer texts, and the kinds of what they do."""
