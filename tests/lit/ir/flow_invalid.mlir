// SPDX-License-Identifier: Apache-2.0
// RUN: warpwright-opt %s --verify-diagnostics

flow.kernel @k cta_group 1 {
  // expected-error @+1 {{unknown hand-over "teleport"}}
  flow.channel @ab depth 2 chain [["load"], ["mma"]] hands_over [["teleport"], ["tensor_commit"]] scopes ["self", "self"] payloads [] parts []
}

// -----

flow.kernel @k cta_group 1 {
  // expected-error @+1 {{a chain has at least two positions}}
  flow.channel @ab depth 2 chain [["load"]] hands_over [["tma"]] scopes ["self"] payloads [] parts []
}

// -----

// expected-error @+1 {{cta_group must be 1 or 2}}
flow.kernel @k cta_group 3 {
}

// -----

flow.kernel @k cta_group 1 {
  flow.channel @ab depth 2 chain [["load"], ["mma"]] hands_over [["tma"], ["tensor_commit"]] scopes ["self", "self"] payloads ["main"] parts []
  flow.role @load {
    // expected-error @+1 {{names unknown channel @cd}}
    %t = flow.acquire @cd position 0
  }
}

// -----

flow.kernel @k cta_group 1 {
  flow.channel @ab depth 2 chain [["load"], ["mma"]] hands_over [["tma"], ["tensor_commit"]] scopes ["self", "self"] payloads ["main"] parts []
  flow.role @load {
    // expected-error @+1 {{role @load does not own position 1 of @ab}}
    %t = flow.wait @ab position 1
  }
}

// -----

flow.kernel @k cta_group 1 {
  flow.channel @ab depth 2 chain [["load"], ["mma"]] hands_over [["tma"], ["tensor_commit"]] scopes ["self", "self"] payloads ["main"] parts []
  flow.role @load {
    %t = flow.acquire @ab position 0
    // expected-error @+1 {{@ab has no payload "lora"}}
    flow.commit %t of @ab position 0 payload "lora"
  }
}

// -----

flow.kernel @k cta_group 1 {
  flow.channel @acc depth 2 chain [["mma"], ["epilogue"]] hands_over [["tensor_commit"], ["arrive"]] scopes ["self", "self"] payloads [] parts ["left", "shared"]
  flow.role @epilogue {
    %t = flow.wait @acc position 1
    // expected-error @+1 {{@acc has no part "middle"}}
    flow.release %t of @acc position 1 part "middle"
  }
}

// -----

flow.kernel @k cta_group 1 {
  // Chains longer than two and joins are legal: S, softmax, P; two roles before one.
  flow.channel @s depth 2 chain [["mma"], ["softmax", "correction"], ["mma"]] hands_over [["tensor_commit"], ["arrive", "arrive"], ["tensor_order"]] scopes ["self", "self", "self"] payloads [] parts ["p0", "p1"]
  flow.role @softmax {
    %t = flow.wait @s position 1
    flow.release %t of @s position 1 part "p0"
    flow.release %t of @s position 1 part "p1"
  }
}
