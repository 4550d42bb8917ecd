import DBus
import Glibc
import Testing

/// A pipe: bytes written to one end are read from the other, which reads the end when no writer is left.
private struct Pipe {
  let reading: DBusDescriptor
  let writing: DBusDescriptor

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    reading = DBusDescriptor(owning: ends[0])
    writing = DBusDescriptor(owning: ends[1])
  }
}

/// Nil if the pipe's last writer is gone.
private func byte(from descriptor: DBusDescriptor) -> UInt8? {
  var byte: UInt8 = 0
  return read(descriptor.number, &byte, 1) == 1 ? byte : nil
}

private func write(_ byte: UInt8, to descriptor: DBusDescriptor) -> Bool {
  Glibc.write(descriptor.number, [byte], 1) == 1
}

/// Whether both are open, and refer to the same open file.
private func isSameFile(_ one: DBusDescriptor, _ other: DBusDescriptor) -> Bool {
  var (first, second) = (stat(), stat())
  return fstat(one.number, &first) == 0 && fstat(other.number, &second) == 0
    && first.st_dev == second.st_dev && first.st_ino == second.st_ino
}

@Suite("Open files in messages", .timeLimit(.minutes(60)))
struct DescriptorTests {
  @Test("an exported object sends a pipe's end, which closes when its last owner releases it")
  func pipe() async throws {
    try await withService { client, service in
      let (lent, continuation) = AsyncStream.makeStream(of: DBusDescriptor.self)
      await service.export("/pipes") { _ in
        guard let pipe = try? Pipe() else { return .failure(.remote("org.example.NoPipe")) }
        continuation.yield(pipe.reading)
        return .success([.descriptor(pipe.writing)])
      }
      let call = MethodCall(destination: service.uniqueName, path: "/pipes", interface: nil, member: "Lend")
      var answer = try await client.call(call)
      #expect(DBusValue.structure(answer).signature == "(h)")
      var own = answer.first?.asDescriptor
      answer = []
      var reading = lent.makeAsyncIterator()
      let reader = try #require(await reading.next())

      let number = try #require(own).number
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0, "the descriptor is not closed on exec")
      #expect(write(42, to: try #require(own)))
      #expect(byte(from: reader) == 42)
      own = nil
      // Not by its number: that may belong to another file of this process by now.
      #expect(byte(from: reader) == nil, "the descriptor is still open")
    }
  }

  @Test("an open file is transferred at any position of a message, and the sender keeps its own descriptor")
  func everywhere() async throws {
    try await withService { client, _ in
      let pipe = try Pipe()
      let file = DBusValue.descriptor(pipe.reading)
      let body: [DBusValue] = [
        .byte(1), file, .variant(file), .array(element: "h", [file, .descriptor(pipe.writing)]),
        .structure([.string("x"), file]), .vardict([("fd", file)]),
      ]
      let back = try await client.call(TestService.call("Echo", body))
      #expect(DBusValue.structure(back).signature == DBusValue.structure(body).signature)
      let found = [
        back[1].asDescriptor, back[2].asDescriptor, back[3].asArray?.first?.asDescriptor,
        back[4].asStructure?.last?.asDescriptor, back[5].asVardict?["fd"]?.asDescriptor,
      ]
      for found in found {
        let found = try #require(found)
        #expect(found != pipe.reading && found.number != pipe.reading.number)
        #expect(isSameFile(found, pipe.reading))
      }
      #expect(isSameFile(try #require(back[3].asArray?.last?.asDescriptor), pipe.writing))
      #expect(write(7, to: pipe.writing))
      #expect(byte(from: try #require(found[0])) == 7)
      #expect(file.asUInt32 == nil && DBusValue.uint32(1).asDescriptor == nil)
    }
  }

  @Test("a signal transfers an open file")
  func signal() async throws {
    try await withService { client, service in
      let pipe = try Pipe()
      let rule = MatchRule(sender: service.uniqueName, interface: TestService.interface)
      let (received, continuation) = AsyncStream.makeStream(of: Signal.self)
      try await client.subscribe(rule) { continuation.yield($0) }
      try await service.emit(
        Signal(
          path: "/a", interface: TestService.interface, member: "Lent", body: [.descriptor(pipe.writing)]))
      var signals = received.makeAsyncIterator()
      let signal = try #require(await signals.next())
      #expect(isSameFile(try #require(signal.body.first?.asDescriptor), pipe.writing))
    }
  }

  /// The bus would end the connection.
  @Test("a message can contain as many open files as the bus permits, and not one more")
  func many() async throws {
    try await withService { client, _ in
      let pipe = try Pipe()
      func call(_ count: Int) -> MethodCall {
        TestService.call(
          "Echo", [.array(element: "h", Array(repeating: .descriptor(pipe.reading), count: count))])
      }
      let back = try await client.call(call(16))
      #expect(back.first?.asArray?.compactMap(\.asDescriptor).count == 16)
      let error = await failure { () throws(DBusError) in try await client.call(call(17)) }
      #expect(error?.kind == .badMessage)
      try await expectReply(to: client)
    }
  }

  @Test("messages that are sent, received or refused leave no file open")
  func leaks() async throws {
    // A separate process, because other tests open files at the same time.
    await #expect(processExitsWith: .success) {
      func open() -> Int { (0..<1024).count { fcntl($0, F_GETFD) != -1 } }
      try await withService { client, _ in
        let pipe = try Pipe()
        try await expectReply(to: client)
        let before = open()
        for _ in 1...200 {
          let body = [DBusValue](repeating: .descriptor(pipe.reading), count: 16)
          try await client.call(TestService.call("Echo", body))
          _ = await failure { () throws(DBusError) in
            try await client.call(TestService.call("Echo", body + [.descriptor(pipe.reading)]))
          }
        }
        // The service may still hold the last call's descriptor.
        var tries = 0
        while open() > before, tries < 1000 {
          try await expectReply(to: client)
          tries += 1
        }
        precondition(open() <= before, "\(open()) open files, \(before) before")
      }
    }
  }
}
