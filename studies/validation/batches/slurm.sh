#!/usr/bin/env bash
# Runs `keller batch slurm` with the real daemons of Slurm: a controller and two nodes of one core each, on this host.
#
#   slurm.sh SLURM KELLER SCRATCH
#
# SLURM is a folder with unpacked packages of Slurm; nothing is installed, and no user needs to be root. On Debian 12:
#   apt-get download slurmctld slurmd slurm-client slurm-wlm-basic-plugins libhwloc15 liblua5.1-0 libmunge2
#   for package in *.deb; do dpkg -x "$package" SLURM; done
# KELLER is the program to test. SCRATCH is a folder that does not exist yet. It keeps all logs. Python 3 is needed too.
# This takes a minute. Slurm runs without authentication meanwhile (auth/none), so use a host without other users.
#
# A batch runs as an array of eight elements. The script kills keller in one of them, and requeues another one as a
# preemption would. Slurm reports the first as failed, and starts the other again. `keller batch slurm` then prints a
# second array, which must compute what is missing and nothing else. The result must have the bytes of a run in one
# process. Exit code 0 only if all of this holds.
set -euo pipefail
export LC_ALL=C

if (($# != 3)); then
    echo "usage: $0 SLURM KELLER SCRATCH" >&2
    exit 2
fi
slurm=$(realpath "$1")
keller=$(realpath "$2")
for program in "$slurm"/usr/sbin/slurm{ctld,d,stepd}-wlm "$keller"; do
    if [[ ! -x $program ]]; then
        echo "$program is no program" >&2
        exit 2
    fi
done
if [[ -e $3 ]]; then
    echo "$3 is there already: name a new folder" >&2
    exit 2
fi
mkdir -p "$3"
scratch=$(realpath "$3")
readonly slurm keller scratch shards=8
# The elements that are killed and requeued.
readonly killed=3 requeued=2

libraries=$(dirname "$(find "$slurm" -type d -name slurm-wlm -path '*/lib/*')")
export LD_LIBRARY_PATH=$libraries:$libraries/slurm-wlm
export PATH=$slurm/usr/bin:$slurm/usr/sbin:$PATH
export SLURM_CONF=$scratch/slurm.conf

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
now() { date +%s.%N; }
since() { awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.3f", to - from }'; }

# Waits up to a number of seconds until a command holds.
await() {
    local seconds=$1 end
    shift
    end=$((SECONDS + seconds))
    until "$@"; do
        if ((SECONDS >= end)); then
            squeue -r 2>&1 || true
            sinfo -N -l 2>&1 || true
            fail "waited $seconds s in vain for: $*"
        fi
        sleep 0.1
    done
}

daemons=()
stop() {
    local code=$? daemon
    trap - EXIT
    # Jobs end before the daemons that watch over them.
    if ((${#daemons[@]})) && scancel -u "$(id -un)" 2>/dev/null; then
        for _ in {1..100}; do
            [[ -z $(squeue -h 2>/dev/null || true) ]] && break
            sleep 0.1
        done
    fi
    for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null || true; done
    for daemon in "${daemons[@]}"; do wait "$daemon" 2>/dev/null || true; done
    ((code == 0)) || echo "exit code $code; the logs are in $scratch" >&2
    exit "$code"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- A cluster

user=$(id -un)
host=$(hostname -s)
# Three ports below those that the system gives to connections.
port=$((20000 + $$ % 4000 * 3))
mkdir "$scratch"/{state,n1,n2,jobs}
# After `cred_expire` seconds Slurm starts a requeued element again; its default is two minutes.
cat >"$SLURM_CONF" <<END
ClusterName=keller
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
CommunicationParameters=NoInAddrAny
PluginDir=$libraries/slurm-wlm
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/%n
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/%n.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/%n.log
MpiDefault=none
SwitchType=switch/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc=$scratch/jobs.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
SlurmctldTimeout=10
SlurmdTimeout=10
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 RealMemory=500
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 RealMemory=500
PartitionName=all Nodes=n1,n2 Default=YES State=UP OverSubscribe=NO
END

slurmctld-wlm -D &>"$scratch/slurmctld.out" &
daemons+=($!)
for node in n1 n2; do
    slurmd-wlm -D -N "$node" -d "$slurm/usr/sbin/slurmstepd-wlm" &>"$scratch/$node.out" &
    daemons+=($!)
done
both_idle() { [[ $(sinfo -h -t idle -o %D 2>/dev/null || true) == 2 ]]; }
await 30 both_idle

# The number of a job that `sbatch` gets from a file.
submit() { (cd "$scratch/jobs" && sbatch --parsable "$1"); }
# Whether all elements of a job have left the queue. Slurm forgets ended jobs after minutes: that is an end too.
ended() { [[ -z $(squeue -h -j "$1" 2>/dev/null || true) ]]; }
# "ELEMENT STATE EXIT", a line for each element of a job.
elements() {
    scontrol -o show job "$1" |
        sed -E 's/.*ArrayTaskId=([0-9]+) .*JobState=([A-Z]+) .*ExitCode=([0-9:]+) .*/\1 \2 \3/' | sort -n
}

printf '#!/bin/bash\n#SBATCH --array=0-19\n#SBATCH --output=/dev/null\nexit 0\n' >"$scratch/nothing.sbatch"
start=$(now)
job=$(submit "$scratch/nothing.sbatch")
await 100 ended "$job"
nothing=$(since "$start")

# --- A scenario: a street between boxes, with lamp posts

awk 'BEGIN {
    print "# metres, z up\nv -10 -40 0\nv 250 -40 0\nv 250 40 0\nv -10 40 0\nusemtl concrete\nf 1 2 3 4"
    count = 4
    for (i = 0; i < 16; i++) {
        k = int(i / 2)
        x0 = 30 * k; x1 = x0 + 22 + 7 * k % 5; height = 12 + (11 * k + 5 * i) % 9
        deep = 22 + 5 * k % 7
        if (i % 2) { y0 = 9; y1 = deep } else { y0 = -deep; y1 = -9 }
        for (z = 0; z <= height; z += height) {
            print "v", x0, y0, z; print "v", x1, y0, z; print "v", x1, y1, z; print "v", x0, y1, z
        }
        print "f", count + 5, count + 6, count + 7, count + 8
        for (s = 1; s <= 4; s++) { t = s % 4 + 1; print "f", count + s, count + t, count + 4 + t, count + 4 + s }
        count += 8
    }
}' >"$scratch/street.obj"
{
    cat <<END
frequency_hz = 3.5e9

[scene]
file = "street.obj"
up = "z"

[paths]
max_interactions = 4
max_reflections = 4

[coverage]
engine = "points"
min = [0, -9]
max = [240, 9]
resolution = 0.3
heights = [1.5]
END
    for i in {0..19}; do
        printf '\n[[tx]]\nname = "lamp %d"\nposition = [%d, %d, 6]\n' "$i" $((6 + 12 * i)) $((i % 2 ? 7 : -7))
    done
} >"$scratch/street.toml"

store=$scratch/store
"$keller" batch plan "$scratch/street.toml" -o "$store" --unit-size 16384 --threads 1
# The value of a key of the status; of a list, one entry a line.
status() {
    "$keller" batch status "$store" --json | python3 -c "
import json, sys
value = json.load(sys.stdin)['$1']
print(*(value if isinstance(value, list) else [value]), sep='\n', end='\n' if value else '')"
}
num_units=$(status units)
((num_units >= 40)) || fail "the plan has $num_units units; the test needs 40 or more"

# --- The array, with a killed element and a requeued one

script() { "$keller" batch slurm "$store" --shards $shards --cpus 1 --time 00:05:00 --option partition=all; }
# Of a script: the elements of its array, one a line.
asked() {
    sed -n 's/^#SBATCH --array=//p' "$1" | tr , '\n' |
        while IFS=- read -r from to; do seq "$from" "${to:-$from}"; done
}
script >"$scratch/first.sbatch"
[[ $(asked "$scratch/first.sbatch" | xargs) == "$(seq 0 $((shards - 1)) | xargs)" ]] ||
    fail "the first array has other elements than 0 to $((shards - 1))"

start=$(now)
job=$(submit "$scratch/first.sbatch")
log() { echo "$store/logs/$job-$1.log"; }
# The units of all elements of a script, an element a line.
units_of() { awk '/^units=\(/ { on = 1; next } /^\)/ { on = 0 } on { print $1 }' "$1"; }
# Numbers for ranges such as 3-5,9, one a line.
numbers() {
    tr , '\n' | while IFS=- read -r from to; do seq "$from" "${to:-$from}"; done
}
has_unit() { grep -q '^unit ' "$(log "$1")" 2>/dev/null; }
# The process of an element. Its script becomes keller by exec.
process() {
    pgrep -f -- " batch run $store --only $(units_of "$scratch/first.sbatch" | sed -n "$(($1 + 1))p") " || true
}

await 100 has_unit $killed
victim=$(process $killed)
[[ $victim =~ ^[0-9]+$ ]] || fail "element $killed is not one process of keller but: ${victim:-none}"
kill -9 "$victim"
echo "killed process $victim of element $killed after: $(grep -c '^unit ' "$(log $killed)") units"

await 100 has_unit $requeued
scontrol requeue "${job}_$requeued"
echo "requeued element $requeued after: $(grep -c '^unit ' "$(log $requeued)") units"

await 100 ended "$job"
first=$(since "$start")
work=$(cat "$store"/logs/*.log | sed -n 's/^unit .*, \([0-9.]*\) s$/\1/p' |
    awk '{ sum += $1 } END { printf "%.3f", sum }')
elements "$job" | tee "$scratch/first.txt"
while read -r element state code; do
    case $element in
        $killed) [[ $state == FAILED && $code == 0:9 ]] ;;
        *) [[ $state == COMPLETED && $code == 0:0 ]] ;;
    esac || fail "element $element ended as $state, exit code $code"
done <"$scratch/first.txt"
(($(wc -l <"$scratch/first.txt") == shards)) || fail "Slurm does not tell of $shards elements"
scontrol -o show job "${job}_$requeued" | grep -q ' Restarts=1 ' || fail "Slurm did not start element $requeued again"
read -r new _ all _ < <(grep ' units computed' "$(log $requeued)" | tail -n 1) || fail "element $requeued did not come to its end"
((new < all)) || fail "element $requeued computed all of its $all units, also those from before"
echo "element $requeued, started again, computed $new of its $all units"

# --- What is missing, and the second array

"$keller" batch status "$store"
status missing >"$scratch/missing.txt"
[[ -s $scratch/missing.txt ]] || fail "no unit is missing though element $killed was killed"
script >"$scratch/second.sbatch"
units_of "$scratch/second.sbatch" | numbers | sort -n | diff - <(sort -n "$scratch/missing.txt") ||
    fail "the second script asks for other units than the missing ones"
units_of "$scratch/first.sbatch" | sed -n "$((killed + 1))p" | numbers | sort >"$scratch/killed.txt"
[[ -z $(sort "$scratch/missing.txt" | comm -23 - "$scratch/killed.txt") ]] ||
    fail "units of other elements than $killed are missing"

# Files of units with their times, to see which ones a run writes.
units() { (cd "$store" && find . -name '*.unit' -printf '%f %i %T@\n' | sort); }
units >"$scratch/before.txt"
start=$(now)
job=$(submit "$scratch/second.sbatch")
await 100 ended "$job"
second=$(since "$start")
elements "$job"
units >"$scratch/after.txt"
status missing >"$scratch/left.txt"
[[ ! -s $scratch/left.txt ]] || fail "units are missing after the second array: $(xargs <"$scratch/left.txt")"
comm -13 "$scratch/before.txt" "$scratch/after.txt" | sed 's/\.unit.*//; s/^0*\(.\)/\1/' |
    diff - "$scratch/missing.txt" ||
    fail "the second array wrote other units than the missing ones"
"$keller" batch verify "$store"
script >"$scratch/third.sbatch" 2>"$scratch/third.txt"
[[ ! -s $scratch/third.sbatch ]] || fail "keller prints a script though nothing is missing"
grep -q 'no unit is missing' "$scratch/third.txt" || fail "keller says: $(cat "$scratch/third.txt")"

# --- The result

"$keller" coverage "$scratch/street.toml" -o "$scratch/batched.npz" --batch "$store" --threads 1 2>"$scratch/batched.txt"
start=$(now)
"$keller" coverage "$scratch/street.toml" -o "$scratch/alone.npz" --threads 1 2>"$scratch/alone.txt"
alone=$(since "$start")
if grep -q 'computed here' "$scratch/batched.txt"; then
    fail "the last step computed units itself: $(cat "$scratch/batched.txt")"
fi
units | cmp - "$scratch/after.txt" || fail "the last step wrote units"
cmp "$scratch/batched.npz" "$scratch/alone.npz" || fail "the result is not that of a run in one process"

# What a worker takes that has nothing to do: the median of nine.
for _ in {1..9}; do
    start=$(now)
    "$keller" batch run "$store" --only 0 --threads 1 2>/dev/null
    awk -v s="$(since "$start")" 'BEGIN { print 1000 * s }'
done | sort -n | sed -n 5p >"$scratch/startup.txt"

cat <<END
units                                  $num_units, $(wc -l <"$scratch/missing.txt") of them in the second array
first array, s                         $first, with $work of units on two cores
second array, s                        $second
one process, one thread, s             $alone
array of 20 elements that do nothing   $nothing s, $(awk -v s="$nothing" 'BEGIN { printf "%.2f", s / 20 }') s an element
a worker with nothing to do, ms        $(cat "$scratch/startup.txt")
PASSED: the result has the bytes of a run in one process
END
