#!/usr/bin/env python3
"""Verifies what 'toolledger export' and 'toolledger prove' write, without toolledger.

    verify.py FILE [VKEY]      status 0 if everything holds, 3 if something does not

The signature of a checkpoint is checked by openssl, where there is one and VKEY, the
ledger's public key, is given. The hashes are in chain/doc.go.
"""
import base64, hashlib, json, shutil, subprocess, sys, tempfile

sys.setrecursionlimit(10000)
PAYLOAD = ("args", "context", "metadata", "prompt", "reasoning", "response")

class Number(str): pass # keeps its own characters: 1, 1.0 and 1e0 are three
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def utf16(text): return text.encode("utf-16-be")

def check(holds, what):
    if not holds: raise ValueError(what)
def parse(text):
    def members(pairs):
        check(len(dict(pairs)) == len(pairs), "a member is there twice")
        return dict(pairs)
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=lambda name: check(False, name + " is no JSON"), object_pairs_hook=members)

def canonical(v):
    if isinstance(v, Number): return str(v)
    if isinstance(v, dict):
        return "{%s}" % ",".join(canonical(k) + ":" + canonical(v[k]) for k in sorted(v, key=utf16))
    return "[%s]" % ",".join(map(canonical, v)) if isinstance(v, list) else json.dumps(v, ensure_ascii=False)

def openings(entry): # each pointer that has a commitment, and its value
    for m in PAYLOAD:
        v = entry.get(m)
        if m in ("args", "metadata", "response") and isinstance(v, dict) and 0 < len(v) <= 1024:
            for name, value in v.items():
                yield "/%s/%s" % (m, name.replace("~", "~0").replace("/", "~1")), value
        elif m in entry:
            yield "/" + m, v

def order(pointer):
    member, _, name = pointer[1:].partition("/")
    return member, utf16(name.replace("~1", "/").replace("~0", "~"))

def digest(e):
    sums = {p: bytes.fromhex(c) for p, c in e.get("removed", {}).items()}
    for p, value in openings(e["entry"]):
        check(p not in sums, p + " is there and removed")
        salt = bytes.fromhex(e["salts"][p]) if "salts" in e else sha(b"\3", bytes.fromhex(e["salt"]), p.encode())[:16]
        sums[p] = sha(b"\4", salt, canonical(value).encode())
    payload = b"".join(len(p.encode()).to_bytes(4, "big") + p.encode() + sums[p] for p in sorted(sums, key=order))
    header = {m: v for m, v in e["entry"].items() if m not in PAYLOAD}
    return sha(b"\0", canonical(dict(header, v=Number(1), payload=sha(b"\5", payload).hex(), prev=e["prev"])).encode())

def tree(level):
    while len(level) > 1: # what has no partner goes up as it is
        level = [sha(b"\1", *level[i:i + 2]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]

def root_of(leaf, index, size, proof):
    check(0 <= index < size, "entry %d is not among the %d of the checkpoint" % (index, size))
    fn, sn = index, size - 1 # as RFC 9162, 2.1.3.2 names them
    for p in proof:
        check(sn, "the proof is too long")
        if fn & 1 or fn == sn:
            leaf = sha(b"\1", p, leaf)
            while fn and not fn & 1: fn, sn = fn >> 1, sn >> 1
        else: leaf = sha(b"\1", leaf, p)
        fn, sn = fn >> 1, sn >> 1
    check(not sn, "the proof is too short")
    return leaf

def signed_by(origin, text, signatures, vkey):
    if not vkey or not shutil.which("openssl"): return "signature not checked"
    name, key_hash, key = vkey.strip().split("+", 2)
    key = base64.b64decode(key, validate=True)
    found = [base64.b64decode(line.split(" ")[2]) for line in signatures.strip().split("\n") if line.split(" ")[1] == name]
    found = [f[4:] for f in found if f[:4].hex() == key_hash == sha(name.encode(), b"\n", key)[:4].hex()]
    check(name == origin and key[0] == 1 and len(found) == 1, "not signed once by " + name)
    files = [tempfile.NamedTemporaryFile() for _ in range(3)]
    for f, data in zip(files, (bytes.fromhex("302a300506032b6570032100") + key[1:], text.encode(), found[0])): f.write(data), f.flush()
    options = "pkeyutl -verify -pubin -keyform DER -rawin -inkey {} -in {} -sigfile {}".format(*(f.name for f in files))
    done = subprocess.run(["openssl", *options.split()], capture_output=True)
    check(done.returncode == 0, "the signature of %s does not hold" % name)
    return "signed by " + name

def verify(text, vkey):
    note, proof, last, digests, lines = "", None, {}, [], text.rstrip("\n").split("\n")
    if lines[0] == "c2sp.org/tlog-proof@v1":
        head, _, note = text.partition("\n\n")
        extra, place, *hashes = head.split("\n")[1:]
        lines, proof = [base64.b64decode(extra[6:])], [base64.b64decode(h).hex() for h in hashes]
    elif lines[0].startswith('{"checkpoint":'):
        note, lines = parse(lines[0])["checkpoint"], lines[1:]
    check(note or not vkey, "there is no checkpoint, so that nobody signed it")
    body, _, signatures = note.rpartition("\n\n")
    origin, size, root = (body.split("\n") + [""] * 3)[:3]
    for n, e in enumerate(map(parse, lines), 1):
        d, session, index = digest(e), e["entry"]["session"], int(e["entry"]["index"])
        check(d.hex() == e["digest"], "line %d: the digest is %s, expected %s" % (n, e["digest"], d.hex()))
        check(proof is None or place == "index " + e["seq"], "the evidence is of entry %s, the proof of another" % e["seq"])
        before, prev = last.get(session, (-1, "0" * 64))
        check(e["prev"] == prev if index == before + 1 else index > before, "line %d: the chain of %s is broken" % (n, session))
        last[session] = index, e["digest"]
        digests.append((int(e["seq"]), d))
        if note:
            under = root_of(d, int(e["seq"]), int(size), map(bytes.fromhex, e["proof"] if proof is None else proof))
            check(under == base64.b64decode(root), "line %d is not under the checkpoint" % n)
    if note:
        print("checkpoint: %s entries of %s, %s" % (size, origin, signed_by(origin, body + "\n", signatures, vkey)))
    whole = [seq for seq, _ in digests] == list(range(len(digests)))
    print("intact: %d entries in %d sessions%s" % (len(digests), len(last), ", root " + tree([d for _, d in digests]).hex() if whole else ""))

if __name__ == "__main__":
    try:
        verify(open(sys.argv[1], encoding="utf-8", newline="").read(), "".join(sys.argv[2:3]))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as err:
        sys.exit(print("does not verify: %s" % err) or 3)
    except OSError as err:
        sys.exit(print(err, file=sys.stderr) or 2)
