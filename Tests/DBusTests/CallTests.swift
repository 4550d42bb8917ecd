import DBus
import Testing

@Suite("Calls", .timeLimit(.minutes(60)))
struct CallTests {
  @Test(
    "an error reply is received with its name and text",
    arguments: [
      ("org.bluez.Error.Failed", "le-connection-abort-by-local"), ("org.example.E", ""), ("a.b", "tschüß\n👋"),
    ])
  func errorReply(name: String, text: String) async throws {
    try await withService { client, _ in
      let call = TestService.call("Fail", [.string(name), .string(text)])
      #expect(await failure { () throws(DBusError) in try await client.call(call) } == .remote(name, text))
    }
  }

  @Test(
    "an error with an invalid name is sent as Failed, and a NUL in its text is replaced",
    arguments: ["", "no dots", "a.b\0", "1.2"])
  func invalidErrorName(name: String) async throws {
    try await withBus { bus in
      let connection = try await bus.connect()
      await connection.export("/") { _ in .failure(.remote(name, "a\0\u{301}b")) }
      try await withThrowingTaskGroup { group in
        group.addTask { await connection.serve() }
        let call = MethodCall(destination: connection.uniqueName, path: "/", interface: nil, member: "M")
        let error = await failure { () throws(DBusError) in try await connection.call(call) }
        #expect(error == .remote("org.freedesktop.DBus.Error.Failed", "a\u{FFFD}\u{301}b"))
        await connection.close()
        try await group.waitForAll()
      }
    }
  }

  @Test("a reply that no message can contain is sent as the error Failed")
  func unsendableReply() async throws {
    try await withService { client, _ in
      let error = await failure { () throws(DBusError) in try await client.call(TestService.call("Garbage")) }
      #expect(error?.isRemote("org.freedesktop.DBus.Error.Failed") == true)
    }
  }

  @Test("a call to an unknown service gives ServiceUnknown, and one to an unknown object UnknownObject")
  func unknownDestination() async throws {
    try await withService { client, _ in
      var call = TestService.call("Echo")
      call.destination = "org.example.Nobody"
      let error = await failure { [call] () throws(DBusError) in try await client.call(call) }
      #expect(error?.isRemote("org.freedesktop.DBus.Error.ServiceUnknown") == true)
      var elsewhere = TestService.call("Echo")
      elsewhere.path = "/elsewhere"
      let noObject = await failure { [elsewhere] () throws(DBusError) in try await client.call(elsewhere) }
      #expect(noObject?.isRemote("org.freedesktop.DBus.Error.UnknownObject") == true)
    }
  }

  @Test("a call that times out throws timedOut with its member, and the connection still works")
  func callTimeout() async throws {
    try await withService { client, _ in
      let error = await failure { () throws(DBusError) in
        try await client.call(TestService.call("Never"), timeout: .milliseconds(30))
      }
      #expect(error?.kind == .timedOut)
      #expect(error?.message.contains("Never") == true)
      try await expectReply(to: client)
    }
  }

  @Test("a call with a timeout of zero or less throws timedOut")
  func expiredTimeout() async throws {
    try await withService { client, _ in
      for timeout in [Duration.zero, .seconds(-1)] {
        let error = await failure { () throws(DBusError) in
          try await client.call(TestService.call("Never"), timeout: timeout)
        }
        #expect(error?.kind == .timedOut)
      }
    }
  }

  @Test("concurrent calls time out in the order of their timeouts")
  func timeoutOrder() async throws {
    try await withService { client, _ in
      let order = await withTaskGroup(of: Int.self) { group in
        for milliseconds in [600, 20, 300] {
          group.addTask {
            let error = await failure { () throws(DBusError) in
              try await client.call(TestService.call("Never"), timeout: .milliseconds(milliseconds))
            }
            return error?.kind == .timedOut ? milliseconds : -1
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(order == [20, 300, 600])
    }
  }

  @Test("a cancelled call throws cancelled, and the connection still works")
  func cancelledCall() async throws {
    try await withService { client, _ in
      let error = await withTaskGroup(of: DBusError?.self) { group in
        group.addTask {
          await failure { () throws(DBusError) in
            try await client.call(TestService.call("Never"), timeout: nil)
          }
        }
        // When this call gets its reply, the call before it has been received, or never will be.
        _ = try? await client.call(TestService.call("Echo"))
        group.cancelAll()
        return await group.next() ?? nil
      }
      #expect(error?.kind == .cancelled)
      try await expectReply(to: client)
    }
  }

  @Test("each of 2,000 concurrent calls gets its own reply")
  func concurrentCalls() async throws {
    try await withService { client, _ in
      let answers = try await withThrowingTaskGroup(of: (UInt32, [DBusValue]).self) { group in
        for number in 0..<2_000 as Range<UInt32> {
          group.addTask {
            (
              number,
              try await client.call(TestService.call("Echo", [.uint32(number)]), timeout: .seconds(60))
            )
          }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      #expect(answers.count == 2_000)
      #expect(answers.allSatisfy { $0.value == [.uint32($0.key)] })
    }
  }

  @Test("a call that expects no reply returns without one, and the connection still works")
  func noReplyExpected() async throws {
    try await withService { client, _ in
      var call = TestService.call("Never")
      call.noReply = true
      let answer = try await client.call(call, timeout: nil)
      #expect(answer == [])
      try await expectReply(to: client)
    }
  }

  @Test("a bus name has one owner, and another connection gets it only after the end of this one")
  func singleOwner() async throws {
    try await withService { client, service in
      let error = await failure { () throws(DBusError) in try await client.requestName(TestService.name) }
      #expect(error?.kind == .nameTaken)
      try await service.requestName(TestService.name)
      await service.close()
      let hasOwner = MethodCall(
        destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: "NameHasOwner", body: [.string(TestService.name.text)])
      while try await client.call(hasOwner) != [.bool(false)] {}
      try await client.requestName(TestService.name)
    }
  }
}
