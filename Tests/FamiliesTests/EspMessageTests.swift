import Ciphers
import EspMessages
import Foundation
import Hex
import SwiftProtobuf
import Testing

@testable import Families

/// The bytes of Espressif's provisioning on the wire, as docs/internals/protocols.md has them.
@Suite("The messages of ESP-IDF devices") struct EspMessageTests {
  @Test("messages have the bytes of the firmware's")
  func encoding() {
    var plain = EspSessionData()
    plain.security0.command = .init()
    #expect(EspIdf.bytes(of: plain).hex() == "5203a20100")
    var answer = EspSessionData()
    answer.security0.msg = 1
    answer.security0.response = .init()
    #expect(EspIdf.bytes(of: answer).hex() == "52050801aa0100")
    var first = EspSessionData()
    first.secVer = 2
    first.security2.command0.username = Data("wifiprov".utf8)
    first.security2.command0.clientPublicKey = Data(repeating: 7, count: 384)
    let bytes = EspIdf.bytes(of: first)
    #expect(bytes.hex().hasPrefix("1002629103a2018d030a08" + Array("wifiprov".utf8).hex() + "128003"))
    #expect(bytes.count == 406)
    var second = EspSessionData()
    second.secVer = 2
    second.security2.msg = 2
    second.security2.command1.clientProof = Data(repeating: 7, count: 64)
    #expect(EspIdf.bytes(of: second).count == 75)
    var status = EspConfigMessage()
    status.getStatus = .init()
    #expect(EspIdf.bytes(of: status).hex() == "5200")
    var apply = EspConfigMessage()
    apply.msg = 4
    apply.apply = .init()
    #expect(EspIdf.bytes(of: apply).hex() == "08047200")
    var reset = EspControlMessage()
    reset.msg = 1
    reset.reset = .init()
    #expect(EspIdf.bytes(of: reset).hex() == "08015a00")
  }

  @Test("a state without its field is no connection, and a failure has its reason, also the first one")
  func states() throws {
    // 11: msg 1, field 11 {}: the default of the state is `connected`.
    let empty: EspConfigMessage = try EspIdf.message([0x08, 1, 0x5A, 0])
    guard case .status(let nothing)? = empty.payload else { throw Missing() }
    #expect(nothing.state == .connected && nothing.detail == nil)
    // State 3, field 10 with the value 0.
    let failed: EspConfigMessage = try EspIdf.message([0x08, 1, 0x5A, 4, 0x10, 3, 0x50, 0])
    guard case .status(let failure)? = failed.payload else { throw Missing() }
    #expect(failure.state == .connectionFailed && failure.detail == .failReason(.authError))
  }

  private struct Missing: Error {}

  @Test(
    "an address has four numbers, of which the first is not zero",
    arguments: [
      ("192.168.4.20", true), ("255.255.255.255", true), ("1.0.0.0", true), ("", false), ("0.0.0.0", false),
      ("0.1.1.1", false), ("192.168.4", false), ("192.168.4.20.1", false), ("192.168..4.20", false),
      ("192.168.4.", false), ("192.168.4.256", false), ("192.168.4.+2", false), ("192.168.4.x", false),
    ])
  func address(text: String, isOne: Bool) {
    var network = EspConfigMessage.Connected()
    network.ip4 = text
    #expect(network.hasAddress == isOne)
  }

  @Test(
    "the version is read from any JSON of a firmware, and from none",
    arguments: [
      (#"{"prov":{"ver":"v1.1","sec_ver":2,"sec_patch_ver":1,"cap":["wifi_scan"]}}"#, 2, true, false, true),
      (#"{"prov":{"ver":"v1.1","sec_ver":2,"cap":[]},"rmaker":{"cap":[1,{}]}}"#, 2, false, false, false),
      ("{\n\t\"prov\":\t{\"ver\":\"v1.1\", \"cap\":[\"no_pop\", \"x\"]}}", 1, false, true, false),
      (#"{"prov":{"cap":["no_sec","wifi_scan"]}}"#, 0, false, false, true),
      (#"{"prov":{"sec_ver":2,"sec_patch_ver":2}}"#, 2, true, false, false),
      ("V0.1", nil, false, false, false), ("", nil, false, false, false),
      (#"{"prov":{"sec_ver":"2"}}"#, nil, false, false, false),
      // One odd value hides no other, and what is not said is not assumed.
      (
        #"{"prov":{"ver":1,"sec_ver":2,"sec_patch_ver":"1","cap":["wifi_scan",7,{}]}}"#, 2, false, false, true
      ),
      (#"{"prov":{"ver":"v1.1","sec_ver":2,"cap":"wifi_scan","x":[[null]]}}"#, 2, false, false, false),
      (#"{"prov":{"sec_ver":null,"cap":["wifi_scan","no_pop"]}}"#, nil, false, true, true),
      (#"{"prov":{"sec_ver":"2","cap":["wifi_scan"]}}"#, nil, false, false, true),
      (#"{"prov":{"ver":"v1.1"}}"#, nil, false, false, false), (#"{"prov":[]}"#, nil, false, false, false),
    ] as [(String, Int?, Bool, Bool, Bool)])
  func version(text: String, security: Int?, counts: Bool, noProof: Bool, scans: Bool) {
    let version = EspVersion(Array(text.utf8))
    #expect(version.security == security && version.countsMessages == counts)
    #expect(version.needsNoProof == noProof && version.scansWiFi == scans)
  }

  @Test(
    "the answer of RainMaker's endpoint has the node, or why there is none",
    arguments: [
      ([0x08, 1, 0x5A, 4, 0x12, 2, 0x4E, 0x31], .node("N1")),
      ([0x08, 1, 0x5A, 6, 0x08, 0, 0x12, 2, 0x4E, 0x31], .node("N1")),
      ([0x08, 1, 0x5A, 2, 0x08, 1], .refused("cloud_user_assoc: invalid parameter")),
      ([0x08, 1, 0x5A, 6, 0x08, 2, 0x12, 2, 0x4E, 0x31], .refused("cloud_user_assoc: invalid state")),
      ([0x08, 1, 0x5A, 2, 0x08, 9], .refused("cloud_user_assoc: status 9")),
      // No node, no answer, another message, no message.
      ([0x08, 1, 0x5A, 0], nil), ([0x08, 1], nil), ([0x5A, 4, 0x12, 2, 0x4E, 0x31], nil), ([], nil),
      (Array("SUCCESS\0".utf8), nil), ([0x08, 1, 0x5A, 9, 0x12, 2, 0x4E, 0x31], nil),
      ([0x08, 1, 0x5A, 4, 0x12, 2, 0xFF, 0xFE], nil),
    ] as [([UInt8], RainMaker.Answer?)])
  func rainMaker(bytes: [UInt8], answer: RainMaker.Answer?) {
    #expect(RainMaker.Answer(bytes) == answer)
  }

  @Test(
    "a device for Thread has that capability and not the one for WiFi",
    arguments: [
      (#""thread_prov","thread_scan""#, true), (#""no_sec","thread_prov""#, true),
      (#""thread_prov","wifi_prov","wifi_scan""#, false), (#""wifi_prov","wifi_scan""#, false),
      (#""thread_scan""#, false), (#""wifi_scan""#, false), ("", false),
    ])
  func thread(capabilities: String, isForThread: Bool) {
    let version = EspVersion(Array(#"{"prov":{"sec_ver":2,"cap":[\#(capabilities)]}}"#.utf8))
    #expect(version.isForThread == isForThread)
  }

  @Test("each message of security 2 has its number in the nonce, in both directions")
  func nonces() {
    let galois = AESGaloisCounter(key: [UInt8](repeating: 1, count: 32))
    let start: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0xFF, 0xFF]
    var cipher = EspCipher.sealed(galois, nonce: start, counts: true)
    #expect(cipher.encrypt([9]) == galois.seal([9], nonce: start))
    let next: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 0, 0]
    #expect(cipher.decrypt([1] + galois.seal([8], nonce: next).dropFirst()) == nil)
    #expect(cipher.decrypt(galois.seal([8], nonce: next)) == [8], "a forged answer does not count")
    var same = EspCipher.sealed(galois, nonce: start, counts: false)
    #expect(same.encrypt([9]) == same.encrypt([9]))
    // The number has four bytes.
    let last: [UInt8] = Array(start.prefix(8)) + [0xFF, 0xFF, 0xFF, 0xFF]
    var overflowing = EspCipher.sealed(galois, nonce: last, counts: true)
    _ = overflowing.encrypt([9])
    #expect(overflowing.encrypt([9]) == galois.seal([9], nonce: Array(start.prefix(8)) + [0, 0, 0, 0]))
  }
}
